// data.h - the data of gp_bench's cells: element i of a distribution, equal on host and GPU. Included by gp_cells.h, by
// the tests of tests/gpu (C) and by peers.cu (CUDA).
#ifndef GP_DATA_H
#define GP_DATA_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define GP_DATA_FN static __host__ __device__ inline
#define GP_DATA_INLINE GP_DATA_FN
#else
#define GP_DATA_FN static inline __attribute__((unused))
#define GP_DATA_INLINE static inline __attribute__((unused, always_inline)) // specialises the loop for one kind
#endif

// The bench's two struct types; gp_cells.h has the same members as source for the operators.
typedef struct gp_s12 {
  uint32_t x, y, z;
} gp_s12;
typedef struct
#ifdef __CUDACC__
    __align__(16)
#else
    __attribute__((aligned(16)))
#endif
        gp_s16 {
  double x, y;
}
gp_s16;

// Element types as data: X(name, size, kind of number, fields). The kind says how bits are made and compared.
enum { GP_DATA_INT, GP_DATA_UINT, GP_DATA_F16, GP_DATA_BF16, GP_DATA_F32, GP_DATA_F64 };
#define GP_DATA_TYPES(X) \
  X(i8, 1, GP_DATA_INT, 1) \
  X(u8, 1, GP_DATA_UINT, 1) \
  X(i16, 2, GP_DATA_INT, 1) \
  X(u16, 2, GP_DATA_UINT, 1) \
  X(i32, 4, GP_DATA_INT, 1) \
  X(u32, 4, GP_DATA_UINT, 1) \
  X(i64, 8, GP_DATA_INT, 1) \
  X(u64, 8, GP_DATA_UINT, 1) \
  X(f16, 2, GP_DATA_F16, 1) \
  X(bf16, 2, GP_DATA_BF16, 1) \
  X(f32, 4, GP_DATA_F32, 1) \
  X(f64, 8, GP_DATA_F64, 1) \
  X(s12, 12, GP_DATA_UINT, 3) \
  X(s16, 16, GP_DATA_F64, 2)

// Distributions: X(NAME, name). Integers / floats:
//   uniform   every bit random / uniform in [-1, 1), in [-1/16, 1/16) for 16 bits
//   small     0 to 3 / whole numbers from -2 to 2
//   constant  3 / 0.25
//   sorted    rising over the whole range of the type / from -1 to 1
//   exact     differences of neighbours of a small random sequence: the sum of any run of elements is below 8, so that
//             floats add up without rounding in any order in which a scan may add them
//   zipf      ranks whose octaves (1, 2 to 3, 4 to 7, ...) are equally likely, which is Zipf's law with exponent 1 in
//             steps; `parameter` ranks (256 where it is 0), spread over the range of the type / over [-1, 1)
//   few       16 values, spread over the range of the type / over [-1, 1)
//   reversed, almost, organ    falling; rising, but for one element in 64, which may be anything; rising to the middle,
//             then falling (an organ pipe)
//   high, low, hot    the bits of a number: each bit of its higher (lower) half is 1 with a probability of 1/16, and
//             the others are random (Thearling and Smith: low entropy); 15 numbers in 16 have the same highest byte
//   repeated  count / 16 random numbers, each some 16 times, in no order
#define GP_DATA_KINDS(X) \
  X(UNIFORM, uniform) \
  X(SMALL, small) \
  X(CONSTANT, constant) \
  X(SORTED, sorted) \
  X(EXACT, exact) \
  X(ZIPF, zipf) \
  X(FEW, few) \
  X(REVERSED, reversed) \
  X(ALMOST, almost) \
  X(ORGAN, organ) \
  X(HIGH, high) \
  X(LOW, low) \
  X(HOT, hot) \
  X(REPEATED, repeated)
// Kinds for other words of a cell:
//   RUNS   keys whose runs are `parameter` long on average, geometrically distributed; 1: neighbours always differ
//   HEADS  flags: 1 where such a run begins, else 0
//   FLAGS  flags: 1 with a probability of `parameter` percent, else 0
//   RISING rising, each number 0, 1 or 2 times; two such arrays of one length differ in half of their numbers GROUPS
//   keys that take `parameter` values, in no order
#define GP_DATA_ENUM(NAME, name) GP_DATA_##NAME,
enum {
  GP_DATA_KINDS(GP_DATA_ENUM) GP_DATA_KIND_COUNT,
  GP_DATA_RUNS = GP_DATA_KIND_COUNT,
  GP_DATA_HEADS,
  GP_DATA_FLAGS,
  GP_DATA_RISING,
  GP_DATA_GROUPS
};
#undef GP_DATA_ENUM

// Elements of these kinds depend on the count: a part of such data is not of its kind.
GP_DATA_FN int gp_data_has_place(int kind) {
  return kind == GP_DATA_SORTED || kind == GP_DATA_REVERSED || kind == GP_DATA_ALMOST || kind == GP_DATA_ORGAN ||
      kind == GP_DATA_RISING || kind == GP_DATA_REPEATED;
}

// Steele, Lea and Flood's mixer (splitmix64).
GP_DATA_FN uint64_t gp_data_hash(uint64_t i) {
  uint64_t z = (i + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

GP_DATA_FN uint32_t gp_data_f32_bits(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}

GP_DATA_FN float gp_data_bits_f32(uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}

// To bfloat16 and binary16, to nearest even.
GP_DATA_FN uint16_t gp_data_to_bf16(float f) {
  const uint32_t u = gp_data_f32_bits(f);
  if ((u & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (uint16_t)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

GP_DATA_FN float gp_data_from_bf16(uint16_t h) { return gp_data_bits_f32((uint32_t)h << 16); }

GP_DATA_FN uint16_t gp_data_to_f16(float f) {
  const uint32_t u = gp_data_f32_bits(f), sign = (u >> 16) & 0x8000, magnitude = u & 0x7fffffff;
  if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7fff);
  if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
  if (magnitude < 0x38800000) { // subnormal: adding 0.5 rounds at the right place
    const float shifted = gp_data_bits_f32(magnitude) + 0.5f;
    return (uint16_t)(sign | (gp_data_f32_bits(shifted) - 0x3f000000));
  }
  return (uint16_t)(sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13));
}

GP_DATA_FN float gp_data_from_f16(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31, mantissa = h & 0x3ff;
  if (exponent == 31) return gp_data_bits_f32(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) { // subnormal: mantissa * 2^-24
    const float value = (float)mantissa * 5.9604644775390625e-8f;
    return sign ? -value : value;
  }
  return gp_data_bits_f32(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

// Does a run begin at element i? One in `mean` does, and every 64th multiple of the mean, which bounds the walk below.
GP_DATA_FN int gp_data_is_drawn(uint64_t seed, uint64_t i, uint64_t limit) {
  return gp_data_hash(i ^ (seed << 40) ^ 0x5000000000ull) < limit;
}
GP_DATA_FN int gp_data_is_head(uint64_t seed, uint64_t i, uint64_t mean) {
  return mean <= 1 || i % (64 * mean) == 0 || gp_data_is_drawn(seed, i, ~0ull / mean);
}

// The first element of the run of element i: walks back, `mean` steps on average.
GP_DATA_FN uint64_t gp_data_run_head(uint64_t seed, uint64_t i, uint64_t mean) {
  const uint64_t least = i - i % (64 * mean), limit = ~0ull / mean;
  while (i > least && !gp_data_is_drawn(seed, i, limit)) i--;
  return i;
}

// A rank from 1 to ranks - 1 (ranks: a power of two) by Zipf's law in steps of octaves.
GP_DATA_FN uint64_t gp_data_zipf(uint64_t h, uint64_t ranks) {
  int octaves = 0, octave;
  while (octaves < 40 && (1ull << (octaves + 1)) <= ranks) octaves++;
  octave = octaves ? (int)((h >> 40) % (uint64_t)octaves) : 0;
  return (1ull << octave) + (h & ((1ull << octave) - 1));
}

// A value as the bits of a float type.
GP_DATA_FN uint64_t gp_data_encode(int number, double value) {
  uint64_t bits;
  if (number == GP_DATA_F16) return gp_data_to_f16((float)value);
  if (number == GP_DATA_BF16) return gp_data_to_bf16((float)value);
  if (number == GP_DATA_F32) return gp_data_f32_bits((float)value);
  memcpy(&bits, &value, 8);
  return bits;
}

// The key of element i in the run from `head`; floats: whole numbers of the type.
GP_DATA_FN uint64_t gp_data_key(int number, int size, uint64_t mean, uint64_t seed, uint64_t i, uint64_t head) {
  const uint64_t key = mean <= 1 ? i : gp_data_hash(head + seed);
  const uint64_t most = size == 8 ? 0xffffffffu : size == 4 ? 0x7fffffu : number == GP_DATA_F16 ? 1023 : 127;
  return number == GP_DATA_INT || number == GP_DATA_UINT ? key : gp_data_encode(number, (double)(key & most));
}

// The place of an element in the range of its type, from 0 to 1.
GP_DATA_INLINE double gp_data_place(int kind, uint64_t h, uint64_t i, uint64_t count) {
  const double last = count > 1 ? (double)(count - 1) : 1, along = (double)i / last;
  switch (kind) {
  case GP_DATA_FEW: return ((double)(h >> 60) + 0.5) / 16;
  case GP_DATA_REVERSED: return (double)(count - 1 - i) / last;
  case GP_DATA_ALMOST: return (h & 63) ? along : (double)(h >> 11) * (1.0 / 9007199254740992.0);
  case GP_DATA_ORGAN: return i < count / 2 ? 2 * (double)i / last : 2 * (double)(count - 1 - i) / last;
  case GP_DATA_RISING: return (double)(i + (h & 1)) / (double)count;
  default: return along;
  }
}

// A number with fewer random bits than h (kinds high, low, hot).
GP_DATA_FN uint64_t gp_data_skewed(int kind, int bits, uint64_t h) {
  const uint64_t other = gp_data_hash(h), third = gp_data_hash(other), fourth = gp_data_hash(third);
  const uint64_t lower = bits == 8 ? 0xf : (1ull << (bits / 2)) - 1;
  if (kind == GP_DATA_HOT) return fourth % 16 ? (h & ~(0xffull << (bits - 8))) | 0x5aull << (bits - 8) : h;
  return (h & (kind == GP_DATA_HIGH ? lower : ~lower)) |
      (h & other & third & fourth & (kind == GP_DATA_HIGH ? ~lower : lower));
}

// One number, of `size` bytes, as its bits.
GP_DATA_INLINE uint64_t gp_data_number(
    int number, int size, int kind, uint64_t parameter, uint64_t seed, uint64_t i, uint64_t count) {
  const uint64_t drawn = gp_data_hash(i ^ (seed << 40));
  const uint64_t h = kind == GP_DATA_REPEATED ? gp_data_hash(drawn % (count / 16 + 1)) : drawn;
  const double along = gp_data_place(kind, h, i, count);
  const double fraction = (double)(h >> 11) * (1.0 / 9007199254740992.0); // [0, 1)
  const int step = (int)(h & 7) - (i ? (int)(gp_data_hash((i - 1) ^ (seed << 40)) & 7) : 0);
  const uint64_t ranks = parameter ? parameter : 256;
  double value;
  if (kind == GP_DATA_HEADS) return (uint64_t)gp_data_is_head(seed, i, parameter);
  if (kind == GP_DATA_FLAGS) return h % 100 < parameter;
  if (kind == GP_DATA_RUNS) return gp_data_key(number, size, parameter, seed, i, gp_data_run_head(seed, i, parameter));
  if (kind == GP_DATA_GROUPS) return gp_data_key(number, size, 2, 0, 0, h % ranks);
  if (kind == GP_DATA_HIGH || kind == GP_DATA_LOW || kind == GP_DATA_HOT) return gp_data_skewed(kind, 8 * size, h);
  if (number == GP_DATA_INT || number == GP_DATA_UINT) {
    const int bits = 8 * size;
    int used = 0;
    switch (kind) {
    case GP_DATA_ZIPF: { // lower bits: a hash of the rank, so there are as many values as ranks
      const uint64_t rank = gp_data_zipf(h, ranks);
      while (used < bits && (1ull << used) < ranks) used++;
      return (rank << (bits - used) | (bits > used ? gp_data_hash(rank) >> (64 - bits + used) : 0)) ^
          (number == GP_DATA_INT ? 1ull << (bits - 1) : 0);
    }
    case GP_DATA_SMALL: return h >> 62;
    case GP_DATA_CONSTANT: return 3;
    case GP_DATA_EXACT: return (uint64_t)(int64_t)step;
    case GP_DATA_SORTED:
    case GP_DATA_FEW:
    case GP_DATA_REVERSED:
    case GP_DATA_ALMOST:
    case GP_DATA_ORGAN:
    case GP_DATA_RISING: {
      // 2^bits - 1 as a double may round up to 2^bits: stay below.
      const double top = bits == 64 ? 18446744073709549568.0 : (double)((1ull << bits) - 1);
      const uint64_t rank = (uint64_t)(along * top);
      return number == GP_DATA_INT ? rank - (1ull << (bits - 1)) : rank;
    }
    default: return h;
    }
  }
  switch (kind) {
  case GP_DATA_ZIPF: value = 2 * ((double)gp_data_zipf(h, ranks) + fraction) / (double)ranks - 1; break;
  case GP_DATA_SMALL: value = (double)(h % 5) - 2; break;
  case GP_DATA_CONSTANT: value = 0.25; break;
  case GP_DATA_SORTED:
  case GP_DATA_FEW:
  case GP_DATA_REVERSED:
  case GP_DATA_ALMOST:
  case GP_DATA_ORGAN:
  case GP_DATA_RISING: value = 2 * along - 1; break;
  case GP_DATA_EXACT: value = step; break;
  default: value = (2 * fraction - 1) * (size == 2 ? 0.0625 : 1.0); break;
  }
  return gp_data_encode(number, value);
}

// The seed of a struct's field: fields are independent, but those of keys have common runs.
GP_DATA_FN uint64_t gp_data_seed(int kind, uint64_t seed, int field) {
  return kind == GP_DATA_RUNS ? seed : seed + (uint64_t)field;
}

// The lowest bytes of bits: little-endian, as the header requires.
GP_DATA_FN void gp_data_store(void *out, uint64_t bits, int size) {
  switch (size) { // a copy of constant size is a store, not a call
  case 1: memcpy(out, &bits, 1); break;
  case 2: memcpy(out, &bits, 2); break;
  case 4: memcpy(out, &bits, 4); break;
  default: memcpy(out, &bits, 8);
  }
}

// Writes element i of `count` to out.
GP_DATA_INLINE void gp_data_element(int number, int size, int fields, int kind, uint64_t parameter, uint64_t seed,
    uint64_t i, uint64_t count, void *out) {
  const int field_size = size / fields;
  int f;
  for (f = 0; f < fields; f++) {
    const uint64_t bits = gp_data_number(number, field_size, kind, parameter, gp_data_seed(kind, seed, f), i, count);
    gp_data_store((char *)out + f * field_size, bits, field_size);
  }
}

#ifndef __CUDACC__
// Elements first to first + some - 1 of `count`, on the host; keys of runs without a walk for each.
GP_DATA_FN void gp_data_elements(int number, int size, int fields, int kind, uint64_t parameter, uint64_t seed,
    uint64_t first, uint64_t some, uint64_t count, void *out) {
  const int field_size = size / fields;
  char *at = (char *)out;
  uint64_t i = first, head;
  int f;
#define GP_DATA_LOOP(KIND) \
  case KIND: \
    for (; i < first + some; i++, at += size) \
      gp_data_element(number, size, fields, KIND, parameter, seed, i, count, at); \
    break;
#define GP_DATA_LOOP_OF(NAME, name) GP_DATA_LOOP(GP_DATA_##NAME)
  switch (kind) {
    GP_DATA_KINDS(GP_DATA_LOOP_OF)
    GP_DATA_LOOP(GP_DATA_HEADS)
    GP_DATA_LOOP(GP_DATA_FLAGS)
    GP_DATA_LOOP(GP_DATA_RISING)
    GP_DATA_LOOP(GP_DATA_GROUPS)
  case GP_DATA_RUNS:
    head = gp_data_run_head(seed, first, parameter);
    for (; i < first + some; i++, at += size) {
      if (gp_data_is_head(seed, i, parameter)) head = i;
      const uint64_t bits = gp_data_key(number, field_size, parameter, seed, i, head);
      for (f = 0; f < fields; f++) gp_data_store(at + f * field_size, bits, field_size);
    }
  }
#undef GP_DATA_LOOP_OF
#undef GP_DATA_LOOP
}
#endif

#endif
