// core/sha256.c - SHA-256
// uses: api/config.h, core/words.h, core/rules.h

// SHA-256 (FIPS 180-4).

typedef struct gp__sha {
  uint32_t state[8];
  uint64_t bytes;
  gp__u8 block[64];
} gp__sha;

GP__HOST uint32_t gp__rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }
GP__HOST void gp__sha_block(gp__sha *h, const gp__u8 *p) {
  static const uint32_t k[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
      0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
      0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138,
      0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70,
      0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
      0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
      0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t w[64], s[8];
  int i;
  for (i = 0; i < 16; ++i)
    w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
  for (; i < 64; ++i)
    w[i] = w[i - 16] + w[i - 7] + (gp__rotate(w[i - 15], 7) ^ gp__rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
        (gp__rotate(w[i - 2], 17) ^ gp__rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
  memcpy(s, h->state, sizeof s);
  for (i = 0; i < 64; ++i) {
    const uint32_t t1 = s[7] + (gp__rotate(s[4], 6) ^ gp__rotate(s[4], 11) ^ gp__rotate(s[4], 25)) +
        ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
    const uint32_t t2 = (gp__rotate(s[0], 2) ^ gp__rotate(s[0], 13) ^ gp__rotate(s[0], 22)) +
        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (i = 0; i < 8; ++i) h->state[i] += s[i];
}
GP__HOST void gp__sha_begin(gp__sha *h) {
  static const uint32_t start[8] = {
      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(h->state, start, sizeof start);
  h->bytes = 0;
}
GP__HOST void gp__sha_add(gp__sha *h, const void *data, size_t bytes) {
  const gp__u8 *p = (const gp__u8 *)data;
  while (bytes) {
    const size_t used = h->bytes % 64, take = bytes < 64 - used ? bytes : 64 - used;
    if (take == 64) {
      gp__sha_block(h, p);
    } else {
      memcpy(h->block + used, p, take);
      if (used + take == 64) gp__sha_block(h, h->block);
    }
    h->bytes += take;
    p += take;
    bytes -= take;
  }
}
GP__HOST void gp__sha_end(gp__sha *h, gp__u8 digest[32]) {
  static const gp__u8 padding[64] = {0x80};
  const uint64_t bits = h->bytes * 8;
  gp__u8 length[8];
  int i;
  gp__sha_add(h, padding, 1 + (119 - h->bytes % 64) % 64);
  for (i = 0; i < 8; ++i) length[i] = (gp__u8)(bits >> (56 - 8 * i));
  gp__sha_add(h, length, 8);
  for (i = 0; i < 32; ++i) digest[i] = (gp__u8)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

enum { GP__HEX = 33 }; // 128 bits of a digest in hexadecimal digits, and a zero
GP__HOST void gp__hash(char hex[GP__HEX], const void *data, size_t bytes, const char *more) {
  static const char digits[] = "0123456789abcdef";
  gp__u8 digest[32];
  gp__sha h;
  int i;
  gp__sha_begin(&h);
  gp__sha_add(&h, data, bytes);
  if (more) gp__sha_add(&h, more, strlen(more) + 1);
  gp__sha_end(&h, digest);
  for (i = 0; i < 16; ++i) {
    hex[2 * i] = digits[digest[i] >> 4];
    hex[2 * i + 1] = digits[digest[i] & 15];
  }
  hex[32] = 0;
}
GP__HOST uint64_t gp__hash_bytes(const void *data, size_t bytes) {
  const gp__u8 *at = (const gp__u8 *)data;
  uint64_t hash = bytes;
  size_t i;
  for (i = 0; i < bytes; ++i) hash = (hash ^ at[i]) * 0x100000001b3ull;
  return hash;
}
