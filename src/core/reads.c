// core/reads.c - the members of a call that each primitive reads
// uses: api/config.h, api/lists.h, core/rules.h, core/arguments.h, host/values.c, core/primitive.c

// The number one of a type: iota's default step.
GP__HOST void gp__one(gp_type type, gp__value *v) {
  gp__wide one;
  one.u = 1;
  gp__host_narrow(type, GP__WIDE_U, &one, v->bytes, 1);
}

// The members of gp_call that primitives read: F(BIT, member, error, end of the message if it is set and not read).
#define GP__CALL_FIELDS(F) \
  F(OP, op, GP_E_OPERATOR, "takes no operator") \
  F(TRANSFORM, transform, GP_E_OPERATOR, "takes no transform") \
  F(PREDICATE2, predicate2, GP_E_OPERATOR, "has no second predicate") \
  F(EQUAL, equal, GP_E_OPERATOR, "has no runs") \
  F(IN_TYPE, in_type, GP_E_TYPE, "has no such input") \
  F(IN2_TYPE, in2_type, GP_E_TYPE, "has no second input") \
  F(KEY_TYPE, key_type, GP_E_TYPE, "has no keys") \
  F(OFFSET_TYPE, offset_type, GP_E_TYPE, "has no offsets") \
  F(ACC_TYPE, acc_type, GP_E_TYPE, "has no accumulator") \
  F(OUT_TYPE, out_type, GP_E_TYPE, "has no such output") \
  F(OUT2_TYPE, out2_type, GP_E_TYPE, "has no such output") \
  F(IN, in, GP_E_ARGUMENT, "has no input") \
  F(IN2, in2, GP_E_ARGUMENT, "has no second input") \
  F(KEYS, keys, GP_E_ARGUMENT, "has no keys") \
  F(BEGIN, begin, GP_E_ARGUMENT, "has no offsets") \
  F(END, end, GP_E_ARGUMENT, "has no end offsets") \
  F(OUT, out, GP_E_ARGUMENT, "has no such output") \
  F(OUT_KEYS, out_keys, GP_E_ARGUMENT, "has no such output") \
  F(OUT2, out2, GP_E_ARGUMENT, "has no such output") \
  F(OUT3, out3, GP_E_ARGUMENT, "has no such output") \
  F(OUT_COUNT, out_count, GP_E_ARGUMENT, "writes no count") \
  F(BAD, bad, GP_E_ARGUMENT, "checks no offsets") \
  F(COUNT_DEVICE, count_device, GP_E_ARGUMENT, "takes no count in device memory") \
  F(SEGMENTS, segments, GP_E_ARGUMENT, "has no segments") \
  F(SEGMENT_LENGTH, segment_length, GP_E_ARGUMENT, "has no segments of equal length") \
  F(KEY_COUNT, key_count, GP_E_ARGUMENT, "searches no sorted array") \
  F(ROWS, rows, GP_E_ARGUMENT, "has no rows") \
  F(K, k, GP_E_ARGUMENT, "takes no k") \
  F(N, n, GP_E_ARGUMENT, "takes no n") \
  F(BINS, bins, GP_E_ARGUMENT, "has no bins") \
  F(CHANNELS, channels, GP_E_ARGUMENT, "has no channels") \
  F(ACTIVE, active, GP_E_ARGUMENT, "has no channels") \
  F(INIT, init, GP_E_ARGUMENT, "takes no initial value") \
  F(VALUE, value, GP_E_ARGUMENT, "takes no value") \
  F(START, start, GP_E_ARGUMENT, "takes no start value") \
  F(STEP, step, GP_E_ARGUMENT, "takes no step") \
  F(SCALAR, scalar, GP_E_ARGUMENT, "has no predicate") \
  F(SCALAR2, scalar2, GP_E_ARGUMENT, "has no second predicate") \
  F(LOWER, lower, GP_E_ARGUMENT, "has no bins of equal width") \
  F(UPPER, upper, GP_E_ARGUMENT, "has no bins of equal width") \
  F(SEED, seed, GP_E_ARGUMENT, "draws no random numbers") \
  F(KEYS2, keys2, GP_E_ARGUMENT, "has no second input") \
  F(COUNT2, count2, GP_E_ARGUMENT, "has no second input") \
  F(FIELDS, fields, GP_E_ARGUMENT, "does not sort by fields") \
  F(AGGREGATES, aggregates, GP_E_ARGUMENT, "has no aggregates") \
  F(AGGREGATE_COUNT, aggregate_count, GP_E_ARGUMENT, "has no aggregates") \
  F(CAPACITY, capacity, GP_E_ARGUMENT, "takes no capacity") \
  F(JOIN, join, GP_E_ARGUMENT, "joins nothing") \
  F(APPLY, apply, GP_E_OPERATOR, "applies no operator to results") \
  F(COLUMNS, columns, GP_E_ARGUMENT, "has no columns") \
  F(COLUMN_COUNT, column_count, GP_E_ARGUMENT, "has no columns") \
  F(KEY_COLUMNS, key_columns, GP_E_ARGUMENT, "has no columns") \
  F(INIT_DEVICE, init_device, GP_E_ARGUMENT, "takes no initial value in device memory")
#define GP__ENUM(FIELD, field, error, text) GP__FIELD_##FIELD,
enum { GP__CALL_FIELDS(GP__ENUM) GP__FIELDS };
#undef GP__ENUM
#define GP__ENUM(FIELD, field, error, text) GP__READS_##FIELD = 1ull << GP__FIELD_##FIELD,
__extension__ enum {
  GP__CALL_FIELDS(GP__ENUM)
  // Fields that go together.
  GP__READS_MAP = GP__READS_IN_TYPE | GP__READS_OUT_TYPE | GP__READS_IN | GP__READS_OUT | GP__READS_COUNT_DEVICE,
  GP__READS_SECOND = GP__READS_PREDICATE2 | GP__READS_SCALAR2,
  GP__READS_RAMP = GP__READS_START | GP__READS_STEP,
  GP__READS_ENDS = GP__READS_LOWER | GP__READS_UPPER,
  GP__READS_FILL = GP__READS_MAP & ~GP__READS_IN,
  GP__READS_FOLD = GP__READS_MAP | GP__READS_OP | GP__READS_TRANSFORM | GP__READS_ACC_TYPE | GP__READS_INIT,
  GP__READS_STORED = GP__READS_FOLD | GP__READS_APPLY,
  GP__READS_SCAN = GP__READS_STORED | GP__READS_INIT_DEVICE,
  GP__READS_OFFSETS = GP__READS_OFFSET_TYPE | GP__READS_BEGIN | GP__READS_SEGMENTS,
  GP__READS_RUNS = GP__READS_EQUAL | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COUNT_DEVICE,
  GP__READS_COMPACTED = GP__READS_OUT_KEYS | GP__READS_OUT_COUNT,
  GP__READS_LENGTHS = GP__READS_RUNS | GP__READS_OUT_COUNT | GP__READS_OUT2 | GP__READS_OUT2_TYPE,
  GP__READS_SELECT =
      GP__READS_MAP | GP__READS_OP | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_OUT_COUNT | GP__READS_SCALAR,
  GP__READS_HISTOGRAM =
      GP__READS_MAP | GP__READS_IN2 | GP__READS_IN2_TYPE | GP__READS_BINS | GP__READS_CHANNELS | GP__READS_ACTIVE,
  GP__READS_PAIRS = GP__READS_MAP | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_OUT_KEYS,
  GP__READS_TWO_SORTED = GP__READS_PAIRS | GP__READS_KEYS2 | GP__READS_COUNT2 | GP__READS_IN2 | GP__READS_OP,
  GP__READS_TABLE =
      GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_COUNT_DEVICE | GP__READS_OUT_COUNT | GP__READS_CAPACITY,
  GP__READS_SORTED = GP__READS_MAP | GP__READS_OP | GP__READS_KEY_TYPE | GP__READS_KEYS | GP__READS_KEY_COUNT
};
#undef GP__ENUM

// Further traits of a primitive: other members of gp_call, and how it treats elements.
enum {
  GP__TAKES_PERMUTATION = 1,
  GP__TAKES_LAYOUTS = 2,
  GP__TAKES_GRAPH = 4,
  GP__TAKES_OUT_GRAPH = 8,
  GP__TAKES_SEARCH = 16, // source_device, statistics, fault
  GP__TAKES_SOURCE = 32,
  GP__TAKES_SOURCES = 64,
  GP__TAKES_LIMIT = 128,
  GP__TAKES_BITS = 256, // begin_bit, end_bit
  GP__TAKES_BAD = 512, // without GP_CHECKED
  GP__TAKES_UNARY = 1024,
  GP__TAKES_KEYS_ALONE = 2048, // no input
  GP__TAKES_INDICES = 4096, // in place of an input
  GP__KEEPS_TYPE = 8192, // elements are moved as they are
  GP__IN_PLACE = 16384, // `out` may be `in`
  GP__KEYS_IN_PLACE = 32768, // out_keys may be keys
  GP__WANTS_KEYS = 65536, // out_keys may not be NULL
  GP__REPRODUCES = 131072, // any fold under GP_REPRODUCIBLE, on every device
  GP__TAKES_INPUTS = 262144, // kernels read a described `in`; other calls read it from an array that is written first
  GP__TAKES_BOTH = 524288, // MINMAX and ARGMINMAX
  GP__TAKES_AXES = 1048576,
  GP__STORES = 2097152, // `apply`: unary, of each result
  GP__TAKES_SECOND = 4194304 // kernels read a described in2
};

GP__HOST uint64_t gp__reads(gp_primitive primitive) { return gp__primitive_of(primitive)->reads; }
// Whether an input, 0 to 3: in, in2, keys, keys2, has an element for each that the call counts. Calls on segments
// without an operator read one value a segment.
GP__HOST int gp__is_counted(gp_primitive primitive, int input) {
  static const uint64_t others[] = {GP__READS_SEGMENTS, GP__READS_COUNT2, GP__READS_KEY_COUNT, GP__READS_COUNT2};
  const uint64_t reads = gp__reads(primitive), folds = reads & GP__READS_OP ? (uint64_t)GP__READS_SEGMENTS : 0;
  return !(reads & others[input] & ~folds);
}
