// core/shape.h - the shape of a call, and arithmetic that rules share
// uses: api/policy.h, core/words.h, core/rules.h, shapes.h

// Everything that the choice of a policy depends on. Sizes in bytes; count is the upper bound known on the host.
typedef struct gp__shape {
  int primitive; // gp_primitive
  int in_size; // element sizes; fill and iota: in_size is 0
  int in2_size; // transform2, mismatch, equal_arrays; else 0
  int acc_size; // reduce, scan: the accumulator; else 0
  int out_size; //
  int in_misaligned; // address of in modulo 16
  int key_size; // stream, sorts: of a key or a flag, else 0; in_size is then that of a value, 0 without one
  int offset_size; // segments, else 0; out_misaligned is 0 in reduces, streams, segments, histograms
  int out_misaligned; // address of out modulo 16
  int in_place; // out == in
  int commutative; // of the operator
  int exact; // the operator is exactly associative: integers, minimum, maximum
  int reproducible; // GP_REPRODUCIBLE, and the operator is not exact
  int described; // an input is described: there is no array for bulk copies
  int compute_capability;
  int multiprocessors;
  int shared_bytes; // opt-in maximum of a block
  gp__u64 count;
  gp__u64 segments; // segments
  gp__u64 count2; // merge and sets
  GPUPRIMS__FAMILY_SHAPES
} gp__shape;
typedef const gp__shape *gp__form; // the shape, as rules take it

// Numbers that several rules need.
enum {
  GP__WARP = 32,
  GP__VECTOR = 16, // bytes of the widest access
  GP__CONTROL_BYTES = 256, // at the start of a workspace: the ticket word
  GP__WORD_BYTES = 16, // a tagged word of the workspace: 8 bytes of value, 8 bytes of tag
  GP__GROUP = 64, // tiles of a look-back group: two for each lane of a warp
  GP__PIPELINE_WARPS = 3, // of a pipelined scan, besides those that compute
  GP__DIGITS = 256, // of a radix pass: 8 bits
  GP__CLUSTER = 16, // blocks of a cluster, at most
  GP__CANONICAL_SCAN_THREADS = 320, // GP_REPRODUCIBLE pins the shape of a tile
  GP__CANONICAL_SCAN_VECTORS = 9,
  GP__CANONICAL_REDUCE_THREADS = 512,
  GP__CANONICAL_REDUCE_VECTORS = 4,
  GP__CANONICAL_REDUCE_TILES = 4096 // at most about so many tiles: larger inputs get larger tiles
};

enum { GP__STATIC_SHARED_BYTES = 48 << 10 }; // static shared memory of a kernel, at most
// Opt-in shared memory of a block in bytes, from the table of compute capabilities in the CUDA programming guide.
GP__RULE int gp__shared_bytes_of(int capability) {
  return (capability == 75 ? 64
                 : capability == 80 || capability == 87 ? 163
                 : capability == 86 || capability == 88 || capability == 89 || capability / 10 >= 12 ? 99
                 : 227) *
      1024;
}

// Devices whose clusters' blocks write to each other's shared memory. Those of consumers have other limits.
GP__RULE int gp__has_clusters(gp__form s) { return s->compute_capability >= 90 && s->compute_capability < 120; }
GP__RULE int gp__max(int a, int b) { return a > b ? a : b; }
GP__RULE gp__u64 gp__smaller(gp__u64 a, gp__u64 b) { return a < b ? a : b; }
GP__RULE gp__u64 gp__ceil_div(gp__u64 a, gp__u64 b) { return (a + b - 1) / b; }

// Elements in one vector access: 16 bytes if the size divides 16, otherwise one element.
GP__RULE int gp__vector_items(int size) { return size > 0 && GP__VECTOR % size == 0 ? GP__VECTOR / size : 1; }

// The fewest vectors that hold a whole number of elements, and how many they hold: 3 and 4 for 12-byte elements.
GP__RULE int gp__common_with_vector(int size) {
  return size % 16 == 0 ? 16 : size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
}
GP__RULE int gp__vec_group_vectors(int size) { return size / gp__common_with_vector(size); }
GP__RULE int gp__vec_group_items(int size) { return GP__VECTOR / gp__common_with_vector(size); }
// Whether a thread's chunk of so many elements is read by vectors, and not element by element.
GP__RULE int gp__chunk_by_vectors(int size, int items) {
  return gp__vec_group_vectors(size) <= 9 && items % gp__vec_group_items(size) == 0;
}

// Words that carry one accumulator through the workspace, 8 bytes each.
GP__RULE int gp__acc_words(int acc_size) { return (acc_size + 7) / 8; }

// Conditions on a fully resolved policy that hold for all families (gp__valid_by has the rest).
GP__RULE int gp__policy_valid_common(const gp_policy *p) {
  return p->threads >= 32 && p->threads <= 1024 && p->threads % GP__WARP == 0 && p->vectors >= 1 && p->vectors <= 16 &&
      p->load > 0 && p->load < GP_CACHE_COUNT && p->store > 0 && p->store < GP_CACHE_COUNT && p->store != GP_CACHE_L2 &&
      p->blocks_per_sm >= 0 && p->blocks_per_sm <= 32 && (p->overlap == 1 || p->overlap == 2);
}
