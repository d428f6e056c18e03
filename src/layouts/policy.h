// layouts/policy.h - conversion of layouts: tiles, shared memory
// uses: api/policy.h, core/words.h, core/rules.h, core/shape.h

enum {
  GP__LAYOUT_FIELDS = 32, // most fields of a struct
  GP__LAYOUT_ENTRIES = 65, // fields, and the gaps between them and at both ends
  GP__LAYOUT_STRUCT_BYTES = 1024, // most bytes of a struct
  GP__LAYOUT_REGISTER_BYTES = 256, // most bytes that a thread takes through registers
  GP__LAYOUT_STEP = 16 // tiles are multiples of so many structs: every field's part is whole vectors
};
// Contiguous structs in shared memory, of which a thread reads `chunk` at a time: a free vector follows an even number
// of vectors, against bank conflicts. Returns the vectors between free ones; 0: none is free.
GP__RULE int gp__layout_padding(int chunk, int size) { return chunk * size % 32 == 0 ? chunk * size / 16 : 0; }
GP__RULE int gp__layout_region(int tile, int chunk, int size, int structs) {
  return tile * size + (structs && gp__layout_padding(chunk, size) ? tile / chunk * GP__VECTOR : 0);
}
// True if a tile is a number of whole blocks, or a part of one.
GP__RULE int gp__layout_fits(gp__u64 width, int tile) {
  return width == 0 || (width <= (unsigned)tile ? (unsigned)tile % width == 0 : width % (unsigned)tile == 0);
}
// Structs of the largest tile that `bytes` hold; of the largest that fits both layouts, 0 if all that fit are too
// small.
GP__RULE int gp__layout_most(int bytes, int size) {
  return gp__max(bytes / size / GP__LAYOUT_STEP, 1) * GP__LAYOUT_STEP;
}
GP__RULE int gp__layout_fitting(int tile, int most, gp__u64 in_width, gp__u64 out_width) {
  return tile * 4 < most || tile <= 0 ? 0
      : gp__layout_fits(in_width, tile) && gp__layout_fits(out_width, tile)
      ? tile
      : gp__layout_fitting(tile - GP__LAYOUT_STEP, most, in_width, out_width);
}
// Structs of a staged tile; 0: values go one by one.
GP__RULE int gp__layout_staged(gp_policy p, gp__form s) {
  return s->layout.chunk > 0
      ? gp__layout_fitting(gp__layout_most(p.threads * p.vectors * GP__VECTOR, gp__max(s->in_size, s->out_size)),
            gp__layout_most(p.threads * p.vectors * GP__VECTOR, gp__max(s->in_size, s->out_size)), s->layout.in_width,
            s->layout.out_width)
      : 0;
}
GP__RULE int gp__layout_tile(gp_policy p, gp__form s) {
  return gp__layout_staged(p, s)
      ? gp__layout_staged(p, s)
      : gp__layout_most(p.threads * p.vectors * GP__VECTOR, gp__max(s->in_size, s->out_size));
}
GP__RULE int gp__layout_shared_bytes(gp_policy p, gp__form s) {
  return gp__layout_staged(p, s)
      ? gp__layout_region(gp__layout_staged(p, s), s->layout.chunk, s->in_size, s->layout.in_width == 1) +
          gp__layout_region(gp__layout_staged(p, s), s->layout.chunk, s->out_size, s->layout.out_width == 1)
      : gp__layout_tile(p, s) * gp__max(s->in_size, s->out_size);
}
// True if, in place, structs move within tiles only.
GP__RULE int gp__layout_local(gp_policy p, gp__form s) {
  return s->layout.chunk >= 0 && s->in_size == s->out_size && s->layout.in_width > 0 && s->layout.out_width > 0 &&
      gp__layout_tile(p, s) % (s->layout.in_width <= 0x7fffffff ? (int)s->layout.in_width : 0x7fffffff) == 0 &&
      gp__layout_tile(p, s) % (s->layout.out_width <= 0x7fffffff ? (int)s->layout.out_width : 0x7fffffff) == 0;
}
