// sort/shape.c - the shape of radix sorts
// uses: core/rules.h, core/shape.h, core/request.c, core/shape.c

GP__HOST void gp__shape_radix_keys(const gp__request *q, gp__shape *h) {
  gp__shape_keys(q, h);
  h->sorted.begin_bit = q->begin_bit;
  h->sorted.end_bit = q->end_bit;
}
