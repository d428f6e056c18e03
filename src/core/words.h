// core/words.h - unsigned words and bytes of the host and of device text

typedef unsigned long long gp__u64;
typedef unsigned int gp__u32;
typedef unsigned char gp__u8;
