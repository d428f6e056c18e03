// core/words.h - unsigned words of the host's rules and of device text

typedef unsigned long long gp__u64;
typedef unsigned int gp__u32;
