// gp_headers.h - names of the header that gp_tune is compiled with: this tree's, or those of 0.1, which a base of
// tools/farm/regress.py has
#ifndef GP_HEADERS_H
#define GP_HEADERS_H

#include "gpuprims.h"

// The second name in a row of GP_PRIMITIVES, or the first one: older headers' rows have no value before it.
#define PRIMITIVE_TEXT(...) FORM_OF(__VA_ARGS__, TEXT_OF_SECOND, TEXT_OF_FIRST, 0)(__VA_ARGS__)
#define PRIMITIVE_ROW(...) FORM_OF(__VA_ARGS__, ROW_OF_SECOND, ROW_OF_FIRST, 0)(__VA_ARGS__)
#define FORM_OF(first, second, form, ...) form
#define TEXT_OF_FIRST(name) #name
#define TEXT_OF_SECOND(value, name) #name
#define ROW_OF_FIRST(name) &row_of_##name
#define ROW_OF_SECOND(value, name) &row_of_##name

#if GPUPRIMS_VERSION_MAJOR == 0 && GPUPRIMS_VERSION_MINOR < 2
#define OF_CALL(member) OF_CALL_##member
#define OF_CALL_value init
#define OF_CALL_scalar init
#define OF_CALL_scalar2 step
#define OF_CALL_lower init
#define OF_CALL_upper step
#define OF_CALL_predicate2 transform
#define OF_CALL_segment_length length
#define OF_CALL_key_count length
#define OF_CALL_k length
#define OF_CALL_n length
#define OF_CALL_rows segments
#define SET_SEED(call, number) \
  do { \
    static const uint64_t seed_ = (number); \
    (call)->init = &seed_; \
  } while (0)
#define SET_SIZE(made) (void)0
#else
#define OF_CALL(member) member
#define SET_SEED(call, number) (call)->seed = (number)
#define SET_SIZE(made) (made)->struct_size = sizeof *(made)
#endif
#endif
