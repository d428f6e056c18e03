// api/array.h - structs whose layout is chosen late: GP_LAYOUT, GP_AT
// uses: api/config.h, api/structs.h

// Structs whose layout is chosen late (Weber and Goesele, MATOG: Array Layout Auto-Tuning for CUDA)
//
// A struct is declared once, by a list of its members, and an array of them is reached through GP_AT, in host code and
// in kernels, whatever its layout is:
//
//        #define PARTICLE(F) F(float, x) F(float, y) F(unsigned short, kind)
//        GP_LAYOUT(Particle, PARTICLE)          // struct Particle; Particle_layout, Particle_move
//        ...
//        gp_array p = GP_ARRAY_OF(Particle, GP_SOA, n, 1, 1);
//        p.base = malloc(gp_array_bytes(&p));
//        GP_AT(Particle, p, i, x) = 1;          // an lvalue
//
// Code is compiled for any layout, which the array says when it runs, or for one: where GP_LAYOUT_Particle is defined,
//        -DGP_LAYOUT_Particle=GP_USE(GP_SOA)    // for nvcc, for NVRTC, or by #define
// GP_AT is the arithmetic of that layout alone, and the source is the same. gp_array_define writes that option. Arrays
// of one struct may differ: GP_LAYOUT_NAME(Staged, Particle) makes another name for it, with a definition of its own,
// GP_LAYOUT_Staged. Members that are read only, or seldom, can be a struct apart, with an array of its own.
//
// Layouts: GP_AOS has the struct's members at C's offsets. Other layouts have no gaps: the arrays of a block's members
// are contiguous, so a block is a multiple of 16 structs (GP_SOA: the capacity, which is rounded up). Members have
// object types, not array types (a typedef of an array is fine). Arrays of up to four dimensions are row-major: the
// last index runs fastest. GP_SOA | GP_AXES(2, 0, 1, 3) has another order of all four axes, from the slowest to the
// fastest; GP_TRANSPOSED reverses them.
//
// GP_GET reads a member. An array that a kernel only reads may be in another memory, which its layout says, too:
// GP_READ_ONLY (ld.global.nc), GP_TEXTURE (by `texture`, an object over `base` as words of 32 bits: cuTexObjectCreate),
// GP_CONSTANT (GP_CONSTANT_ROOM). On the host all are memory. GP_LAYOUT_PART declares such members as a part.
#if defined(__CUDACC__) && !defined(GPUPRIMS_SIMT)
#define GP__ACCESS static __host__ __device__ __forceinline__ __attribute__((unused))
#else
#define GP__ACCESS static inline __attribute__((always_inline, unused))
#endif
#ifdef __CUDACC_RTC__ // which has no offsetof
#define GP__OFFSET_OF(S, member) reinterpret_cast<uint64_t>(&((S *)0)->member)
#else
#define GP__OFFSET_OF(S, member) __builtin_offsetof(S, member)
#endif
#ifdef __cplusplus
#define GP__MEMBER_TYPE(S, member) decltype(((S *)0)->member)
#else
#define GP__MEMBER_TYPE(S, member) __typeof__(((S *)0)->member)
#endif

#define GP_TRANSPOSED 0x8000000000000000ull // a bit of a layout
#define GP_AXES(a, b, c, d) (((a) + 0ull + ((b) ^ 1ull) * 4 + ((c) ^ 2ull) * 16 + ((d) ^ 3ull) * 64) << 40)
#define GP_READ_ONLY 0x100000000ull
#define GP_TEXTURE 0x200000000ull
#define GP_CONSTANT 0x300000000ull
#define GP__WIDTH 0xffffffffull // of a block: the bits of a layout that hold it; its order; its memory
#define GP__AXES (0xffull << 40 | GP_TRANSPOSED)
#define GP__MEMORY GP_CONSTANT
#define GP_ANY_LAYOUT 0x7fffffffffffffffull // what code is compiled for that no GP_USE says otherwise
// An array of structs: a plain value, which kernels take as a parameter.
typedef struct gp_array {
  void *base; // aligned to 16 bytes
  uint64_t layout; // GP_AOS, GP_SOA or the structs of a block, | GP_AXES(...) or GP_TRANSPOSED, | memory
  uint64_t capacity; // structs there is room for
  uint64_t extent[4]; // structs: the product
  unsigned size, packed; // bytes of a struct, with gaps and without
  uint64_t texture; // GP_TEXTURE: the object; otherwise 0
} gp_array;

#define GP_USE(layout) , layout
#define GP__SECOND(a, b, ...) b
#define GP__USED(name) GP__SECOND(name, GP_ANY_LAYOUT, 0)
// The array as the code here is compiled to see it.
#define GP__SEEN_AS(Name, array) gp__seen_as(array, GP__USED(GP_LAYOUT_##Name))
GP__ACCESS gp_array gp__seen_as(gp_array a, uint64_t layout) {
  if (layout != GP_ANY_LAYOUT) a.layout = layout;
  return a;
}
GP__ACCESS void *gp__member_at(
    gp_array a, uint64_t i, uint64_t size, uint64_t offset, uint64_t packed, uint64_t packed_offset, uint64_t member) {
  const uint64_t width = a.layout & GP__WIDTH;
  unsigned char *base = (unsigned char *)a.base;
  return width == 1 ? base + i * size + offset
      : width == 0 ? base + packed_offset * a.capacity + i * member
      : base + i / width * (width * packed) + packed_offset * width + i % width * member;
}
// The axis at a place of a layout's order.
GP__ACCESS unsigned gp__axis(uint64_t layout, unsigned place) {
  return layout & GP_TRANSPOSED ? 3 - place : (unsigned)(layout >> (40 + 2 * place) & 3) ^ place;
}
GP__ACCESS uint64_t gp__along(unsigned axis, uint64_t i, uint64_t j, uint64_t k, uint64_t l) {
  return axis == 0 ? i : axis == 1 ? j : axis == 2 ? k : l;
}
// The number of the struct at (i, j, k, l). axes 3: there is no fourth.
GP__ACCESS uint64_t gp__index(gp_array a, unsigned axes, uint64_t i, uint64_t j, uint64_t k, uint64_t l) {
  uint64_t number = 0;
  unsigned place;
  for (place = 0; place < 4; ++place) {
    const unsigned axis = gp__axis(a.layout, place);
    if (axis < axes)
      number =
          number * gp__along(axis, a.extent[0], a.extent[1], a.extent[2], a.extent[3]) + gp__along(axis, i, j, k, l);
  }
  return number;
}
#define GP__MEMBER_AT(Name, array, i, member) \
  (*(GP__MEMBER_TYPE(Name, member) *)gp__member_at(array, i, sizeof(Name), GP__OFFSET_OF(Name, member), \
      sizeof(Name##_packed), GP__OFFSET_OF(Name##_packed, member), sizeof(((Name *)0)->member)))
// A member of struct number i, an lvalue; of the struct at (i, j), at (i, j, k), at (i, j, k, l).
#define GP_AT(Name, array, i, member) GP__MEMBER_AT(Name, GP__SEEN_AS(Name, array), i, member)
#define GP_AT2(Name, array, i, j, member) GP_AT3(Name, array, i, j, 0, member)
#define GP_AT3(Name, array, i, j, k, member) GP_AT(Name, array, GP_NUMBER(Name, array, 3, i, j, k, 0), member)
#define GP_AT4(Name, array, i, j, k, l, member) GP_AT(Name, array, GP_NUMBER(Name, array, 4, i, j, k, l), member)
// The number of a struct of an array of `axes` dimensions, 3 or 4, for GP_AT and GP_GET.
#define GP_NUMBER(Name, array, axes, i, j, k, l) gp__index(GP__SEEN_AS(Name, array), axes, i, j, k, l)
#if !defined(__CUDACC__) && !defined(GPUPRIMS_SIMT) // in kernels: device/tile_bins.cuh
#define GP_GET(Name, array, i, member) ((GP__MEMBER_TYPE(Name, member))GP_AT(Name, array, i, member))
#endif
// Struct j of `to` becomes struct i of `from`, member by member: arrays under two names of one struct.
#define GP_MOVE(Struct, To, to, j, From, from, i) Struct##_move(GP__SEEN_AS(To, to), j, GP__SEEN_AS(From, from), i)

#define GP__MEMBER(type, member) type member;
#define GP__FIELD_OF(type, member) \
  fields[n].offset = (a->layout & GP__WIDTH) == GP_AOS ? GP__OFFSET_OF(gp__struct, member) \
      : GP__OFFSET_OF(gp__struct_packed, member); \
  fields[n++].size = sizeof(type);
#define GP__MOVE_OF(type, member) GP__MEMBER_AT(gp__struct, to, j, member) = GP__MEMBER_AT(gp__struct, from, i, member);
// A struct: its members (and once more, without gaps), GP_MOVE for it, and Struct_layout, which describes an array for
// gp_convert_layout (`fields`, of 32, is where the list goes).
#define GP_LAYOUT(Struct, MEMBERS) \
  typedef struct Struct { \
    MEMBERS(GP__MEMBER) \
  } Struct; \
  typedef struct __attribute__((packed)) Struct##_packed { \
    MEMBERS(GP__MEMBER) \
  } Struct##_packed; \
  GP__ACCESS void Struct##_move(gp_array to, uint64_t j, gp_array from, uint64_t i) { \
    typedef Struct gp__struct; \
    typedef Struct##_packed gp__struct_packed; \
    MEMBERS(GP__MOVE_OF) \
  } \
  GP__LISTED(Struct##_layout, Struct, MEMBERS)
#define GP__LISTED(name, Struct, MEMBERS) \
  GP__ACCESS gp_layout name(const gp_array *a, gp_field *fields) { \
    typedef Struct gp__struct; \
    typedef Struct##_packed gp__struct_packed; \
    int n = 0; \
    MEMBERS(GP__FIELD_OF) return gp__layout_of(a, fields, n); \
  }
// A part: some members of a struct as a struct. Part_within describes them in an array of the whole struct, so that
// gp_convert_layout moves them to an array of the part, and back with GP_KEEP_GAPS.
#define GP_LAYOUT_PART(Part, Struct, MEMBERS) \
  GP_LAYOUT(Part, MEMBERS) \
  GP__LISTED(Part##_within, Struct, MEMBERS)
#define GP_LAYOUT_NAME(Name, Struct) \
  typedef Struct Name; \
  typedef Struct##_packed Name##_packed;
GP__ACCESS gp_layout gp__layout_of(const gp_array *a, const gp_field *fields, int count) {
  gp_layout l;
  int d;
  l.struct_size = sizeof l;
  l.width = a->layout & GP__WIDTH;
  l.size = l.width == 1 ? a->size : a->packed;
  l.fields = fields;
  l.field_count = count;
  l.capacity = l.width == 0 ? a->capacity : 0;
  l.columns = 0;
  l.order = a->layout & GP__AXES;
  for (d = 0; d < 4; ++d) l.extent[d] = a->extent[d];
  return l;
}
// An array without memory yet: n0 structs, n0 * n1, n0 * n1 * n2 (1: no such dimension), in four dimensions n0 * n1 *
// n2 * n3. gp_array_check says what is wrong with it.
#define GP_ARRAY_OF(Name, layout, n0, n1, n2) GP_ARRAY_OF4(Name, layout, n0, n1, n2, 1)
#define GP_ARRAY_OF4(Name, layout, n0, n1, n2, n3) \
  gp__array_of(layout, n0, n1, n2, n3, sizeof(Name), sizeof(Name##_packed))
GP__ACCESS gp_array gp__array_of(
    uint64_t layout, uint64_t n0, uint64_t n1, uint64_t n2, uint64_t n3, size_t size, size_t packed) {
  const uint64_t width = layout & GP__WIDTH, unit = width > 16 ? width : 16;
  gp_array a;
  a.base = 0;
  a.layout = layout;
  a.capacity = (n0 * n1 * n2 * n3 + unit - 1) / unit * unit;
  a.extent[0] = n0, a.extent[1] = n1, a.extent[2] = n2, a.extent[3] = n3;
  a.size = (unsigned)size, a.packed = (unsigned)packed;
  a.texture = 0;
  return a;
}
// The bytes that an array needs: its capacity times the bytes of a struct. Allocate them, aligned to 16 bytes, as
// `base`.
GP__ACCESS uint64_t gp_array_bytes(const gp_array *a) {
  return a->capacity * ((a->layout & GP__WIDTH) == 1 ? a->size : a->packed);
}
