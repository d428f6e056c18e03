// api/layouts.h - layouts of arrays of structs
// uses: api/config.h, api/lists.h, api/context_types.h, api/structs.h, api/array.h

// out, in the layout `to`, = in, in the layout `from`: `count` structs, field by field; both list the same fields in
// the same order and of the same sizes, at offsets of their own. Fields that neither lists do not move: a list of some
// fields moves, say, the read-only ones to an array of their own. Gaps of the output become zero, except with GP_SOA,
// where they are not touched, and with GP_KEEP_GAPS, where values go one by one, which is slower. Where a layout has
// columns its buffer is NULL. Any alignment; 16 bytes, and for GP_SOA a capacity that is a multiple of 16, are fastest.
// In place (out == in, no columns): the buffer has room for either layout. Layouts of one size whose widths divide the
// kernel's tile (GP_AOS, and powers of two up to about 4096 / size) change places within tiles; otherwise a copy of the
// input in the workspace is converted, which moves everything twice. Orders of
// axes may differ (gp_layout.order), too: structs then change places as in gp_permute, in place by a copy. One launch
// (two with a copy), everything is read once and written once: through shared memory, in a kernel that is compiled for
// the list of fields. The last struct's block apart, memory is read and written in vectors of 16 bytes as long as a
// struct has at most 256 bytes, a width is GP_SOA, a divisor or a multiple of the tile, and the order stays.
GP__API gp_result gp_convert_layout(gp_context *ctx, const gp_layout *from, const gp_layout *to, const void *in,
    uint64_t count, void *out, int flags, gp_stream stream);

// Arrays of GP_AT (section >>types): what is wrong with one, if anything: its extents, layout, size or memory, which
// may still be missing. Pure.
GP__API gp_result gp_array_check(const gp_array *array);

// Another layout for an array that has no memory yet. One that has holds data in the layout it was made with, which
// stays: GP_E_ARGUMENT; gp_convert_layout moves them to another array. Another kind of memory (GP_READ_ONLY, ...) moves
// nothing, and is always possible.
GP__API gp_result gp_array_relayout(gp_array *array, uint64_t layout);

// Writes the compiler's option that specialises code for the layout of arrays of `name`, as
// -DGP_LAYOUT_Particle=GP_USE(0ull). Returns the length without the final zero, even where capacity is too small.
GP__API size_t gp_array_define(const char *name, const gp_array *array, char *option, size_t capacity);
