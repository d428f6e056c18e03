// layout.h - structs declared once, with arrays in any of three layouts: for the kernels of this folder and, in plain
// C, for the host.
//
// An array of S keeps structs in blocks of `width`, and in a block the values of each field together: field f of struct
// i begins at byte (i / width) * width * sizeof(S) + offset(f) * width + (i % width) * size(f). Width 1 is C's array of
// structs (AoS). One block for all is a structure of arrays (SoA), written as width 0 with a capacity, a multiple of 16
// so that every field is aligned. In between are arrays of structures of arrays (AoSoA). A kernel names fields, not
// addresses: a macro gives the compiler the width, and the kernel's text is the same for every layout. (Weber and
// Goesele, MATOG: Array Layout Auto-Tuning for CUDA, ACM TACO 2017.)
#ifndef EXAMPLES_LAYOUT_H
#define EXAMPLES_LAYOUT_H

#ifdef __CUDACC_RTC__ // NVRTC has no headers
#define offsetof(S, name) ((unsigned long long)&((S *)0)->name)
#else
#include <stddef.h>
#endif

enum { LAYOUT_SOA = 0, LAYOUT_AOS = 1 };

// The structs of the two programs: F(S, type, name) for each field.
#define ROW_FIELDS(F, S) \
  F(S, unsigned long long, first) F(S, unsigned, second) F(S, unsigned short, third) F(S, unsigned char, fourth)
#define BOX_FIELDS(F, S) \
  F(S, float, low_x) F(S, float, low_y) F(S, float, low_z) F(S, float, high_x) F(S, float, high_y) F(S, float, high_z)

// Constants that a kernel and its launch share.
#ifndef BITONIC_THREADS
#define BITONIC_THREADS 512
#endif
#define BITONIC_TILE (2 * BITONIC_THREADS) // rows
#ifndef KD_THREADS
#define KD_THREADS 256
#define KD_BINS 128 // slabs along each axis
#endif
#define KD_LINES 6 // of counters
#define KD_COUNTS (KD_LINES * KD_BINS)
typedef struct kd_space { // a node: its box, and slabs a unit of length, for each axis
  float low[3], high[3], scale[3];
} kd_space;

#define LAYOUT_MEMBER(S, type, name) type name;
#define LAYOUT_STRUCT(S, FIELDS) \
  typedef struct S { \
    FIELDS(LAYOUT_MEMBER, S) \
  } S;

#if defined(__CUDACC__) || defined(SIMT_H)
#define LAYOUT_CODE static __device__ __forceinline__
#else
#define LAYOUT_CODE static inline
#endif

typedef unsigned long long layout_count;

// The first byte of a field of struct i.
LAYOUT_CODE layout_count layout_place(unsigned width, layout_count capacity, unsigned struct_size, unsigned offset,
                                      unsigned size, layout_count i) {
  if (width == LAYOUT_AOS) return i * struct_size + offset;
  if (width == LAYOUT_SOA) return capacity * offset + i * size;
  return i / width * (width * struct_size) + width * offset + i % width * size;
}

// The sorted rows, and the boxes of triangles.
LAYOUT_STRUCT(row, ROW_FIELDS)
LAYOUT_STRUCT(box, BOX_FIELDS)

#if defined(__CUDACC__) || defined(SIMT_H)

// ---- for kernels: row_array<WIDTH>, box_array<WIDTH>; a field is a.name(i), a whole struct a.get(i) and a.set(i, s)

#define LAYOUT_ACCESSOR(S, type, name) \
  __device__ __forceinline__ type &name(layout_count i) const { \
    return *reinterpret_cast<type *>(base + \
                                     layout_place(WIDTH, capacity, sizeof(S), offsetof(S, name), sizeof(type), i)); \
  }
#define LAYOUT_GET(S, type, field) value.field = field(i);
#define LAYOUT_SET(S, type, field) field(i) = value.field;
#define LAYOUT_ARRAY(S, FIELDS) \
  template <unsigned WIDTH> struct S##_array { \
    unsigned char *base; \
    layout_count capacity; \
    FIELDS(LAYOUT_ACCESSOR, S) \
    __device__ __forceinline__ S get(layout_count i) const { \
      S value; \
      FIELDS(LAYOUT_GET, S) \
      return value; \
    } \
    __device__ __forceinline__ void set(layout_count i, const S &value) const { FIELDS(LAYOUT_SET, S) } \
  };
LAYOUT_ARRAY(row, ROW_FIELDS)
LAYOUT_ARRAY(box, BOX_FIELDS)

#ifdef SIMT_H // the tests compile each specialisation in a namespace of its own
#define LAYOUT_KERNEL static void
#define LAYOUT_SHARED(T, name) SIMT_SHARED(T, name)
#else
#define LAYOUT_KERNEL extern "C" __global__ void
#define LAYOUT_SHARED(T, name) __shared__ T name
#endif

#endif // kernels
#endif
