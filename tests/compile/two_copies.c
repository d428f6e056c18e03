// two_copies.c - a program that uses two libraries, each with its own copy of gpuprims.
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
long long first_entry(int n);
long long second_entry(int n);
#ifdef __cplusplus
}
#endif

int main(void) {
  const long long a = first_entry(100), b = second_entry(200);
  printf("%lld %lld\n", a, b);
  return a != 5050 || b != 20100;
}
