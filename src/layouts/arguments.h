// layouts/arguments.h - arguments of conversion of layouts, and of gathers
// uses: core/words.h, core/rules.h, sort/radix_policy.h, layouts/policy.h, sort/arguments.h

// Conversion of layouts. A column is the address of the first struct's value of a field, or gap.
typedef struct gp__layout_args {
  const gp__u8 *in;
  gp__u8 *out;
  const gp__u8 *in_column[GP__LAYOUT_FIELDS];
  gp__u8 *out_column[GP__LAYOUT_ENTRIES];
  gp__u64 count, in_width, out_width;
  int in_aligned, out_aligned; // every tile's part of every field, or every tile, begins on 16 bytes
  // Another order of axes: axis 0 is the input's fastest, axis 1 the output's or, straight, its second. odd: a value is
  // not aligned to the words of its size. In structs; step: of the input, of the output; tile: along each axis.
  int straight, odd;
  gp__u64 extent[4], step[2][4], tile[4], tiles[4];
} gp__layout_args;

// Gathers values too large to be sorted: out[i] = in[index[i]].
typedef struct gp__gather_args {
  const void *in, *index;
  void *out;
  gp__u64 count;
  const gp__u64 *count_device;
} gp__gather_args;

// Sets the digit of args->pass, from *bit on; *bit becomes the next pass's.
GP__HOST void gp__radix_digit_of(gp__radix_args *args, int *bit) {
  const int bits = gp__radix_digit_bits(*bit, args->end_bit);
  args->word = *bit / 64;
  args->shift = *bit % 64;
  args->mask = (1u << bits) - 1;
  *bit += bits;
}
