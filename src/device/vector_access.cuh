// device/vector_access.cuh - a few consecutive elements of an array in one access
// uses: api/policy.h, core/words.h, device/vocabulary.cuh, device/machine.cuh, device/common.cuh, device/types.cuh,
//   device/warp.cuh

// V consecutive elements of one operand, in a thread. One access if V elements are 2, 4, 8 or 16 bytes and aligned as a
// whole; shifted vectors if they are 16 bytes and unaligned; otherwise element by element. `inner`: the operand also
// includes the 16 bytes before and after.
template<class T, int V> struct gp__vector_access_of_items {
  T item[V];
  template<int CACHE> GP_DEVICE void load_if(bool there, const T *at) {
    if (there) load<CACHE>(at, 0, false);
  }
  template<int CACHE> GP_DEVICE void load(const T *at, unsigned, bool) {
    GP__EACH(j, V) item[j] = at[j];
  }
  template<int CACHE> GP_DEVICE void store(T *at) const {
    GP__EACH(j, V) at[j] = item[j];
  }
};
// Whether one access of BYTES bytes may take the elements at `at`. Callers check alignment by elements; a struct whose
// alignment is less than its size may be at any address between.
template<int BYTES, class T> GP_DEVICE bool gp__is_whole(const T *at) {
  return alignof(T) >= sizeof(T) || gp__misalignment(at, BYTES) == 0;
}
template<class T, int V, class Register> struct gp__vector_access_of_register {
  union {
    Register access;
    T item[V];
  };
  GP_DEVICE gp__vector_access_of_register() {}
  GP_DEVICE void take(const T *at) {
    if (gp__is_whole<sizeof(Register)>(at)) access = *gp__as<const Register>(at);
    else take_items(at);
  }
  GP_DEVICE void take_items(const T *at) {
    GP__EACH(j, V) item[j] = at[j];
  }
  template<int CACHE> GP_DEVICE void load_if(bool there, const T *at) {
    if (there) take(at);
  }
  template<int CACHE> GP_DEVICE void load(const T *at, unsigned misaligned, bool) {
    if (misaligned == 0) take(at);
    else take_items(at);
  }
  template<int CACHE> GP_DEVICE void store(T *at) const {
    if (gp__is_whole<sizeof(Register)>(at)) *gp__as<Register>(at) = access;
    else {
      GP__EACH(j, V) at[j] = item[j];
    }
  }
};
template<class T, int V> struct gp__vector_access_of_vector {
  union {
    gp_vector access;
    T item[V];
  };
  GP_DEVICE gp__vector_access_of_vector() {}
  template<int CACHE> GP_DEVICE void load_if(bool there, const T *at) {
    if (gp__is_whole<16>(at)) gp__load_vector_if<CACHE>(there, at, access);
    else if (there) {
      GP__EACH(j, V) item[j] = at[j];
    }
  }
  template<int CACHE> GP_DEVICE void load(const T *at, unsigned misaligned, bool inner) {
    const gp__u8 *base = gp__as<const gp__u8>(at) - misaligned;
    if (misaligned == 0 && gp__is_whole<16>(at)) access = gp__load_vector<CACHE>(at);
    else if (misaligned && inner)
      access =
          gp__shift_vectors(gp__load_vector<GP_CACHE_ALL>(base), gp__load_vector<GP_CACHE_ALL>(base + 16), misaligned);
    else {
      GP__EACH(j, V) item[j] = at[j];
    }
  }
  template<int CACHE> GP_DEVICE void store(T *at) const {
    if (gp__is_whole<16>(at)) gp__store_vector<CACHE>(at, access);
    else {
      GP__EACH(j, V) at[j] = item[j];
    }
  }
};
template<class T, int V> struct gp__vector_access_bytes { static const int value = V * int(sizeof(T)); };
template<int V> struct gp__vector_access_bytes<gp__none, V> { static const int value = 0; };
template<class T, int V, int BYTES = gp__vector_access_bytes<T, V>::value>
struct gp__vector_access : gp__vector_access_of_items<T, V> {};
template<class T, int V> struct gp__vector_access<T, V, 2> : gp__vector_access_of_register<T, V, gp__u16> {};
template<class T, int V> struct gp__vector_access<T, V, 4> : gp__vector_access_of_register<T, V, gp__u32> {};
template<class T, int V> struct gp__vector_access<T, V, 8> : gp__vector_access_of_register<T, V, gp__u64> {};
template<class T, int V> struct gp__vector_access<T, V, 16> : gp__vector_access_of_vector<T, V> {};
template<int V> struct gp__vector_access<gp__none, V, 0> { // fill and iota have no operand in memory
  template<int CACHE> GP_DEVICE void load(const gp__none *, unsigned, bool) {}
};
// Alignment in bytes at which the operand of a run is read or written as a whole; 1: it never is.
template<class T, int V> struct gp__vector_access_alignment {
  static const unsigned bytes = V * sizeof(T), value = bytes <= 16 && (bytes & (bytes - 1)) == 0 ? bytes : 1;
};
