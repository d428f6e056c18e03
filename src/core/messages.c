// core/messages.c - messages and errors of a thread
// uses: api/lists.h, core/rules.h, core/system.c

// A message names members of gp_call. A function that fills a gp_call has its own names for them, known only to itself.
// So a format marks each member by an @, and gp_last_message writes the name that the caller knows.
enum { GP__MESSAGE_BYTES = 4096, GP__FORMAT_BYTES = 512, GP__MARK = 1 };

// A thread's state in the library. A call that fails inside and then finds another way must not change the message. So
// a call writes into `draft`, and gp__said makes that the message if the call as a whole has failed.
typedef struct gp__thread {
  char message[GP__MESSAGE_BYTES], draft[GP__MESSAGE_BYTES]; // with marks
  const char *names; // of the function that failed; NULL: members keep their names
  int inside; // a call of the library runs
  const char *hook; // the user's function that the call runs at the moment, or NULL
} gp__thread;
static __thread gp__thread gp__here;

// Sets the thread's message (inside a call, its draft), and returns the code.
GP__FORMAT(2, 3) GP__HOST gp_result gp__fail(gp_result code, const char *format, ...) {
  char marked[GP__FORMAT_BYTES]; // an @ in an argument is no mark
  size_t i;
  va_list list;
  for (i = 0; format[i] && i < sizeof marked - 1; ++i) marked[i] = format[i] == '@' ? (char)GP__MARK : format[i];
  marked[i] = 0;
  va_start(list, format);
  if (gp__here.inside && !gp__here.hook) {
    vsnprintf(gp__here.draft, GP__MESSAGE_BYTES, marked, list);
  } else {
    vsnprintf(gp__here.message, GP__MESSAGE_BYTES, marked, list);
    gp__here.names = NULL;
  }
  va_end(list);
  return code;
}
// Ends a call that has counted itself in gp__here.inside.
GP__HOST gp_result gp__said(gp_result result) {
  if (!--gp__here.inside && result != GP_SUCCESS) {
    strcpy(gp__here.message, gp__here.draft);
    gp__here.names = NULL;
  }
  return result;
}

// A user's function runs: until gp__hook_ends, gp__begin refuses calls of this thread.
GP__HOST const char *gp__hook_begins(const char *name) {
  const char *outer = gp__here.hook;
  gp__here.hook = name;
  return outer;
}
GP__HOST void gp__hook_ends(const char *outer) { gp__here.hook = outer; }

// The result of a function that fills a gp_call: a failed call's message then names this function. names: the
// function's name, and "member=parameter" for each member of gp_call that has another name there.
GP__HOST gp_result gp__named(gp_result result, const char *names) {
  if (result != GP_SUCCESS) gp__here.names = names;
  return result;
}

// The parameter's name for the member that `member` begins with; NULL if it keeps its own. *length: the member's.
GP__HOST const char *gp__parameter_of(const char *names, const char *member, size_t *length) {
  for (names = names ? strchr(names, ' ') : NULL; names; names = strchr(names, ' ')) {
    char next;
    *length = strcspn(++names, "=");
    next = member[*length];
    if (!strncmp(names, member, *length) && next != '_' && !(next >= '0' && next <= '9') &&
        !((next | 32) >= 'a' && (next | 32) <= 'z'))
      return names + *length + 1;
  }
  return NULL;
}
