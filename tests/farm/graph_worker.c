// graph_worker.c - the worker's part for calls on graphs, on host memory and the host back end: reads the worker's
// messages and answers them. $GRAPH_WORKER_BREAKS: guard (writes before the depths), driver (nothing can be filled),
// replays (calls do nothing; messages report replays and copies that empty the cache), boards (names some boards),
// threads (compares inputs made by several threads with those made by one). With cells as arguments: prints how many
// elements of each are verified.
#include "../../tools/tune/worker.c"

static int fake_alloc(uint64_t *at, size_t bytes) {
  *at = (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *at == 0;
}
static int fake_free(uint64_t at) { return free((void *)(uintptr_t)at), 0; }
static int fake_to_host(void *to, uint64_t at, size_t bytes) {
  return memcpy(to, (const void *)(uintptr_t)at, bytes), 0;
}
static int fake_fill(uint64_t at, unsigned char byte, size_t bytes, void *on_stream) {
  const char *breaks = getenv("GRAPH_WORKER_BREAKS");
  (void)on_stream;
  return memset((void *)(uintptr_t)at, byte, bytes), breaks && !strcmp(breaks, "driver") ? 700 : 0;
}
static int fake_stream_wait(void *on_stream) {
  const char *breaks = getenv("GRAPH_WORKER_BREAKS");
  (void)on_stream;
  if (breaks && !strcmp(breaks, "guard") && graph_count) ((char *)graphs[graph_count - 1].s.depths)[-1] = 1;
  return 0;
}
static int fake_synchronize(void) { return 0; }
static int fake_event_create(void **event, unsigned flags) { return (void)flags, *event = NULL, 0; }
static int fake_event_record(void *event, void *on_stream) { return (void)event, (void)on_stream, 0; }
static int fake_event_wait(void *event) { return (void)event, 0; }
static int fake_event_elapsed(float *ms, void *from, void *to) { return (void)from, (void)to, *ms = 0.096f, 0; }
static int fake_error_name(int code, const char **name) { return (void)code, *name = "FAKE_ERROR", 0; }

// A replay's content: the sets of the captured calls.
static struct {
  int capturing, calls;
  uint64_t most;
} captured;
static int counted_verify(const cell *c, variant *v) { return (void)c, (void)v, 1; }
static int counted_call(const cell *c, variant *v, uint64_t set) {
  (void)c, (void)v;
  if (captured.capturing) captured.calls++, captured.most = set > captured.most ? set : captured.most;
  return 1;
}
static int fake_capture_begin(void *on_stream, int mode) {
  (void)on_stream, (void)mode;
  captured.capturing = 1, captured.calls = 0, captured.most = 0;
  return 0;
}
static int fake_capture_end(void *on_stream, void **graph) {
  return (void)on_stream, captured.capturing = 0, *graph = &captured, 0;
}
static int fake_instantiate(void **made, void *graph, unsigned long long flags) {
  return (void)flags, *made = graph, 0;
}
static int fake_launch(void *graph, void *on_stream) {
  (void)graph, (void)on_stream;
  return printf("replay\tcalls=%d\tsets=%llu\n", captured.calls, (unsigned long long)captured.most + 1), 0;
}
static int fake_destroy(void *graph) { return (void)graph, 0; }
static int fake_to_device(uint64_t at, const void *from, size_t bytes) {
  return memcpy((void *)(uintptr_t)at, from, bytes), 0;
}
static int fake_to_device_async(uint64_t at, const void *from, size_t bytes, void *on_stream) {
  return (void)on_stream, fake_to_device(at, from, bytes);
}
static int fake_host_alloc(void **at, size_t bytes) { return *at = malloc(bytes), !*at; }
static int fake_copy(uint64_t to, uint64_t from, size_t bytes, void *on_stream) {
  memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  if (on_stream) printf("empty\tbytes=%llu\n", (unsigned long long)bytes); // fills use no stream
  return 0;
}

static int fake_uuid(void *uuid, int device) {
  memset(uuid, device, 16);
  return device < 0 ? 100 : 0;
}

// Devices whose UUID is their number, 16 times.
static int name_boards(void) {
  char name[GP__HEX];
  cuda.device_uuid = fake_uuid;
  for (ordinal = -1; ordinal < 3; ordinal++) {
    name_board(name);
    printf("board\tname=%.16s\n", name);
  }
  return 0;
}

// The number of kinds of data that are equal.
static int make_by_threads(void) {
  enum { COUNT = (8 << 20) + 5 };
  const cell_data kinds[] = {{GP_DATA_UNIFORM, 0}, {GP_DATA_RISING, 1 << 20}, {GP_DATA_RUNS, 32},
      {GP_DATA_GROUPS, 4096}, {GP_DATA_FLAGS, 50}, {GP_DATA_SORTED, 0}};
  const type_row *t = find_type("u64"); // more than two pieces of page-locked memory
  char *one = malloc((size_t)COUNT * 8), *many = malloc((size_t)COUNT * 8);
  int alike = 0;
  size_t i;
  if (!one || !many) return 1;
  for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    gp_data_elements(t->number, t->size, t->fields, kinds[i].kind, kinds[i].parameter, 5, 0, COUNT, COUNT, one);
    send_elements((uint64_t)(uintptr_t)many, t, &kinds[i], 5, COUNT, COUNT);
    alike += !memcmp(one, many, (size_t)COUNT * 8);
  }
  printf("alike\t%d\n", alike);
  free(one), free(many);
  return 0;
}

int main(int count, char **cells) {
  const char *breaks = getenv("GRAPH_WORKER_BREAKS");
  subject counted = library_subject;
  gp_config config = gp_config_init();
  job *j;
  int i;
  cuda.alloc = fake_alloc, cuda.free_ = fake_free, cuda.to_host = fake_to_host, cuda.set8 = fake_fill;
  cuda.stream_wait = fake_stream_wait, cuda.synchronize = fake_synchronize, cuda.error_name = fake_error_name;
  cuda.event_create = fake_event_create, cuda.event_record = fake_event_record;
  cuda.host_alloc = fake_host_alloc, cuda.to_device_async = fake_to_device_async;
  cuda.event_wait = fake_event_wait, cuda.event_elapsed = fake_event_elapsed;
  config.backend = backend = GP_BACKEND_HOST;
  if (gp_open(&config, &ctx) || cell_types_define(&types, ctx)) return 1;
  on = &library_subject;
  if (breaks && !strcmp(breaks, "boards")) return name_boards();
  if (breaks && !strcmp(breaks, "threads")) return make_by_threads();
  if (breaks && !strcmp(breaks, "replays")) {
    cuda.capture_begin = fake_capture_begin, cuda.capture_end = fake_capture_end;
    cuda.graph_instantiate = fake_instantiate, cuda.graph_launch = fake_launch;
    cuda.graph_destroy = cuda.graph_exec_destroy = fake_destroy;
    cuda.to_device = fake_to_device, cuda.copy = fake_copy;
    counted.verify = counted_verify, counted.call = counted_call;
    on = &counted;
    stream = &counted;
    l2_bytes = 1 << 16;
  }
  for (i = 1; i < count; i++) {
    cell c;
    if (parse_cell(cells[i], &c)) return 1;
    printf("%llu\n", (unsigned long long)verified_cell(&c).n);
  }
  if (count > 1) return gp_close(ctx) != GP_SUCCESS;
  read_jobs(NULL);
  while ((j = next_job(1))) {
    run_job(j);
    job_free(j);
  }
  return gp_close(ctx) != GP_SUCCESS;
}
