// decimal.c - money as decimal(38, 2): total, order and accounts of a ledger, of 16-byte integers of hundredths.
//
// A database keeps such a column as two words a number. Here it is a struct with an operator of the program's own; as
// GP_I128, which has the same bytes, the built-in operators take it too. Both results must be equal.
//
//     cc -I. examples/decimal.c -o decimal -ldl -lpthread -lm && ./decimal [FILE]
//
// Each line of FILE has an account, a number, and an amount with two digits behind the point.
#define GPUPRIMS_IMPLEMENTATION
#include "gpuprims.h"

#include "device_memory.h"

enum { MOST = 1 << 20, ACCOUNTS = 100 };

typedef struct decimal {
  uint64_t low;
  int64_t high;
} decimal;

static const char decimal_source[] = "struct decimal { unsigned long long low; long long high; };";
static const char add_body[] = "decimal r;\n"
                               "r.low = a.low + b.low;\n"
                               "r.high = a.high + b.high + (r.low < a.low); // the carry\n"
                               "return r;";

static decimal sum_of(decimal a, decimal b) {
  decimal r;
  r.low = a.low + b.low;
  r.high = (int64_t)((uint64_t)a.high + (uint64_t)b.high + (r.low < a.low));
  return r;
}
static void add(void *user, void *result, const void *a, const void *b) {
  (void)user;
  *(decimal *)result = sum_of(*(const decimal *)a, *(const decimal *)b);
}
static decimal negative(decimal x) {
  decimal r;
  r.low = ~x.low + 1;
  r.high = (int64_t)(~(uint64_t)x.high + (r.low == 0));
  return r;
}

// "-12.34" as -1234 hundredths.
static decimal from_text(const char *text) {
  decimal x = {0, 0};
  const char *c;
  for (c = text; *c; ++c) {
    decimal twice = sum_of(x, x), digit = {0, 0}, eight;
    if (*c < '0' || *c > '9') continue; // the sign and the point
    digit.low = (uint64_t)(*c - '0');
    eight = sum_of(sum_of(twice, twice), sum_of(twice, twice));
    x = sum_of(sum_of(eight, twice), digit);
  }
  return *text == '-' ? negative(x) : x;
}

// Divides by ten, 32 bits at a time; the remainders are the digits.
static const char *to_text(decimal x, char text[48]) {
  const decimal size = x.high < 0 ? negative(x) : x;
  uint32_t part[4];
  char *at = text + 47;
  int digits = 0, k;
  part[0] = (uint32_t)((uint64_t)size.high >> 32), part[1] = (uint32_t)size.high;
  part[2] = (uint32_t)(size.low >> 32), part[3] = (uint32_t)size.low;
  *at = 0;
  while (digits < 3 || part[0] || part[1] || part[2] || part[3]) {
    uint64_t rest = 0;
    for (k = 0; k < 4; ++k) {
      rest = rest << 32 | part[k];
      part[k] = (uint32_t)(rest / 10);
      rest %= 10;
    }
    if (digits++ == 2) *--at = '.';
    *--at = (char)('0' + rest);
  }
  if (x.high < 0) *--at = '-';
  return at;
}

// Lines of the file; without one, numbers of up to 33 digits, the same in every run.
static uint32_t read_ledger(const char *path, uint32_t *account, decimal *amount) {
  uint32_t count = 0;
  char text[48];
  FILE *file = path ? fopen(path, "r") : NULL;
  if (path && !file) return 0;
  if (file) {
    while (count < MOST && fscanf(file, "%u %47s", &account[count], text) == 2) amount[count++] = from_text(text);
    fclose(file);
    return count;
  }
  for (; count < 100003; ++count) {
    const uint64_t mixed = count * 0x9e3779b97f4a7c15u;
    account[count] = (uint32_t)(mixed >> 40) % ACCOUNTS;
    amount[count].low = mixed ^ mixed >> 29;
    amount[count].high = (int64_t)(mixed * mixed) / (1 << 20);
  }
  return count;
}

int main(int arguments, char **argument) {
  gp_context *ctx;
  gp_description description = gp_description_init();
  gp_type_desc type_desc = gp_type_desc_init();
  gp_op_desc op_desc = gp_op_desc_init();
  gp_call sort = gp_call_init(GP_SORT);
  const decimal zero = {0, 0};
  gp_key_field words[2];
  gp_type type;
  gp_op sum;
  device_memory m;
  uint32_t *account = (uint32_t *)malloc(MOST * sizeof *account), count, i;
  decimal *amount = (decimal *)malloc(MOST * sizeof *amount), *seen = (decimal *)malloc(MOST * sizeof *seen);
  decimal *other = (decimal *)malloc(MOST * sizeof *other);
  decimal total, expected = {0, 0};
  void *accounts, *amounts, *sorted, *names, *totals;
  uint64_t *group_count, groups = 0;
  char text[48];
  int way, wrong = 0;
  if (!account || !amount || !seen || !other) return 1;
  count = read_ledger(arguments > 1 ? argument[1] : NULL, account, amount);
  for (i = 0; i < count; ++i) expected = sum_of(expected, amount[i]);

  check(gp_open(NULL, &ctx));
  check(gp_describe(ctx, &description));
  type_desc.name = "decimal";
  type_desc.source = decimal_source;
  type_desc.size = sizeof(decimal);
  type_desc.align = 8;
  check(gp_type_struct(ctx, &type_desc, &type));
  op_desc.name = "add";
  op_desc.body = add_body;
  op_desc.identity = "decimal{0, 0}";
  op_desc.arity = 2;
  op_desc.commutative = 1;
  op_desc.host = add;
  op_desc.host_identity = &zero;
  op_desc.host_identity_size = sizeof zero;
  check(gp_op_define(ctx, &op_desc, &sum));

  m = device_memory_open(ctx);
  accounts = device_memory_new(&m, count * sizeof *account);
  amounts = device_memory_new(&m, count * sizeof *amount);
  sorted = device_memory_new(&m, count * sizeof *amount);
  names = device_memory_new(&m, count * sizeof *account);
  totals = device_memory_new(&m, (count + 1) * sizeof *amount);
  group_count = (uint64_t *)device_memory_new(&m, sizeof *group_count);
  device_memory_write(&m, accounts, account, count * sizeof *account);
  device_memory_write(&m, amounts, amount, count * sizeof *amount);

  // The order of a struct: its high word, then its low one. GP_I128 needs no fields.
  words[0].offset = offsetof(decimal, high), words[0].type = GP_I64, words[0].descending = 0;
  words[1].offset = offsetof(decimal, low), words[1].type = GP_U64, words[1].descending = 0;
  for (way = 0; way < 2; ++way) { // the struct, then GP_I128
    const gp_type of = way ? GP_I128 : type;
    const gp_op by = way ? GP_SUM : sum;
    check(gp_reduce(ctx, by, of, of, amounts, count, totals, NULL));
    device_memory_read(&m, &total, totals, sizeof total);
    wrong += memcmp(&total, &expected, sizeof total) != 0;

    sort.key_type = of;
    sort.keys = amounts;
    sort.out_keys = sorted;
    sort.count = count;
    sort.fields = way ? NULL : words;
    sort.field_count = way ? 0 : 2;
    check(gp_run(ctx, &sort, NULL));
    device_memory_read(&m, way ? other : seen, sorted, count * sizeof *seen);
    wrong += way && memcmp(other, seen, count * sizeof *seen) != 0;
    for (i = 1; i < count; ++i)
      wrong += seen[i - 1].high > seen[i].high || (seen[i - 1].high == seen[i].high && seen[i - 1].low > seen[i].low);

    if (way == 0 && count) {
      printf("on %s: %u amounts\n", description.name, count);
      printf("total %s\n", to_text(total, text));
      printf("least %s\n", to_text(seen[0], text));
      printf("most %s\n", to_text(seen[count - 1], text));
    }
  }
  for (way = 0; way < 2; ++way) {
    check(gp_group_by(ctx, way ? GP_SUM : sum, GP_U32, way ? GP_I128 : type, accounts, amounts, count, names, totals,
        group_count, NULL));
    device_memory_read(&m, &groups, group_count, sizeof groups);
    device_memory_read(&m, account, names, groups * sizeof *account);
    device_memory_read(&m, way ? other : seen, totals, groups * sizeof *seen);
  }
  wrong += memcmp(other, seen, groups * sizeof *seen) != 0;
  for (i = 0, total = zero; i < groups; ++i) {
    total = sum_of(total, seen[i]);
    printf("account %u %s\n", account[i], to_text(seen[i], text));
  }
  wrong += memcmp(&total, &expected, sizeof total) != 0;

  device_memory_free(&m, accounts);
  device_memory_free(&m, amounts);
  device_memory_free(&m, sorted);
  device_memory_free(&m, names);
  device_memory_free(&m, totals);
  device_memory_free(&m, group_count);
  free(account);
  free(amount);
  free(seen);
  free(other);
  check(gp_close(ctx));
  printf("%s\n", wrong ? "WRONG" : "as GP_I128: the same");
  return wrong != 0;
}
