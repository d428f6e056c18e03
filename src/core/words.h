// core/words.h - words and bytes of the host and of device text

typedef unsigned long long gp__u64;
typedef unsigned int gp__u32;
typedef unsigned short gp__u16;
typedef unsigned char gp__u8;
typedef long long gp__i64;
