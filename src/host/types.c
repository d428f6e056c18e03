// host/types.c - sizes of buffers; element types in memory
// uses: api/config.h

enum {
  GP__HOST_ELEMENTS = 1024, // of a buffer, at most
  GP__HOST_BYTES = 16384, // of a buffer
  GP__HOST_BLOCK = 65536, // elements a thread takes at a time
  GP__HOST_PARALLEL_BYTES = 262144, // below, one thread does it all
  GP__HOST_LANES = 8 // rows that a loop works on at a time: their chains of operations are independent
};

// Elements in the caller's memory, whatever their declared type there.
#define GP__MAY_ALIAS __attribute__((may_alias))
__extension__ typedef unsigned __int128 gp__u128;
typedef uint8_t gp__h_bool;
typedef int8_t gp__h_i8;
typedef uint8_t gp__h_u8;
typedef int16_t GP__MAY_ALIAS gp__h_i16;
typedef uint16_t GP__MAY_ALIAS gp__h_u16;
typedef int32_t GP__MAY_ALIAS gp__h_i32;
typedef uint32_t GP__MAY_ALIAS gp__h_u32;
typedef int64_t GP__MAY_ALIAS gp__h_i64;
typedef uint64_t GP__MAY_ALIAS gp__h_u64;
typedef uint16_t GP__MAY_ALIAS gp__h_f16;
typedef uint16_t GP__MAY_ALIAS gp__h_bf16;
typedef uint8_t gp__h_e4m3;
typedef uint8_t gp__h_e5m2;
typedef float GP__MAY_ALIAS gp__h_f32;
typedef double GP__MAY_ALIAS gp__h_f64;
typedef struct gp__h_c32 { // aliases what its members do
  gp__h_f32 re, im;
} gp__h_c32;
typedef struct gp__h_c64 {
  gp__h_f64 re, im;
} gp__h_c64;
__extension__ typedef __int128 gp__h_i128 __attribute__((may_alias, aligned(8)));
__extension__ typedef unsigned __int128 gp__h_u128 __attribute__((may_alias, aligned(8)));

#define GP__PAIR(op, type) ((int)(op)*64 + (int)(type)) // an operator on a type, as a case
#define GP__INLINE static inline __attribute__((unused))
