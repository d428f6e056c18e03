// tuner/sections.c - a tuner's sections: their configuration, their times
// uses: api/config.h, api/lists.h, api/context_types.h, core/rules.h, core/system.c, core/messages.c, core/driver.c,
//   core/libraries.c, core/state.c, core/life.c, tuner/points.c, tuner/search.c, tuner/tuner.c, tuner/memory.c

// The events at which a timing's section begins and ends.
GP__HOST void **gp__events_of(const gp_tuner *t, const gp__timing *w) {
  return &t->events->event[2 * (w - t->timings)];
}
// A timing to use, with its events; NULL: all wait to be read, or events cannot be made.
GP__HOST gp__timing *gp__take_timing(gp_tuner *t, gp__state *s) {
  gp__timing *w = t->unused;
  int i;
  if (!w) return NULL;
  if (s->context && !t->events) {
    t->events = (gp__events *)calloc(1, sizeof *t->events);
    if (!t->events) return NULL;
    t->events->owners = 2;
    t->events->count = 2 * GP__TIMINGS;
    pthread_mutex_lock(&s->lock);
    t->events->next = s->timers;
    s->timers = t->events;
    pthread_mutex_unlock(&s->lock);
  }
  for (i = 0; i < 2 && s->context; ++i) {
    void **event = gp__events_of(t, w) + i;
    if (!*event && s->library.runtime.driver.cuEventCreate(event, 0)) return NULL;
  }
  t->unused = w->next;
  w->next = NULL;
  return w;
}
GP__HOST void gp__return_timing(gp_tuner *t, gp__timing *w) {
  if (!w) return;
  w->next = t->unused;
  t->unused = w;
}
// Drops a timing that will not be read; its configuration may be tried again.
GP__HOST void gp__drop_timing(gp_tuner *t, gp__timing *w) {
  gp__search *search = w && w->explored ? t->buckets[w->bucket].search : NULL;
  if (search) gp__take_point_back(&search->points, w->point);
  gp__return_timing(t, w);
}

// Learns from sections whose work has ended, in the order of their stops.
GP__HOST gp_result gp__read_timings(gp_tuner *t, gp__state *s, const char *who) {
  const struct gp_driver *d = &s->library.runtime.driver;
  while (t->first) {
    gp__timing *w = t->first;
    float ms = 0;
    if (s->context) {
      void **event = gp__events_of(t, w);
      const int error = d->cuEventElapsedTime(&ms, event[0], event[1]);
      if (error == GP__CU_NOT_READY) return GP_SUCCESS;
      if (error) {
        t->first = w->next;
        if (!t->first) t->last = &t->first;
        gp__drop_timing(t, w);
        return gp__cuda_fail(&s->library.runtime, who, "the time of a section", error);
      }
      w->us = 1e3 * (double)ms;
    }
    t->first = w->next;
    if (!t->first) t->last = &t->first;
    if (w->us >= 0) {
      gp__tuner_learn(t, w->bucket, w->point, w->us);
      gp__return_timing(t, w);
    } else gp__drop_timing(t, w); // the clock was set back
  }
  return GP_SUCCESS;
}
// The same while another stream may be captured, which queries of events would end.
GP__HOST gp_result gp__collect_timings(gp_tuner *t, gp__state *s, const char *who) {
  const struct gp_driver *d = &s->library.runtime.driver;
  int mode = GP__CU_CAPTURE_RELAXED;
  gp_result result;
  if (!t->first || (s->context && d->cuThreadExchangeStreamCaptureMode(&mode))) return GP_SUCCESS;
  result = gp__read_timings(t, s, who);
  if (s->context && mode != GP__CU_CAPTURE_RELAXED) d->cuThreadExchangeStreamCaptureMode(&mode);
  return result;
}

// Notes when a section begins or ends, in the order of its stream.
GP__HOST gp_result gp__stamp(
    const gp_tuner *t, gp__state *s, const char *who, gp__timing *w, int ends, gp_stream stream) {
  gp_result result;
  int pushed, error;
  if (!ends) w->loads = __atomic_load_n(&s->loads, __ATOMIC_RELAXED);
  if (!s->context) {
    w->us = gp__now_us() - (ends ? w->us : 0);
    return GP_SUCCESS;
  }
  GP__CHECK(gp__enter(s, who, &pushed));
  error = s->library.runtime.driver.cuEventRecord(gp__events_of(t, w)[ends], stream);
  result = error ? gp__cuda_fail(&s->library.runtime, who, "cuEventRecord", error) : GP_SUCCESS;
  return gp__leave(s, who, pushed, result);
}

GP__HOST gp__section *gp__open_section(gp_tuner *t) {
  const void *thread = gp__this_thread();
  int i;
  for (i = 0; i < t->section_count; ++i)
    if (t->sections[i].thread == thread) return &t->sections[i];
  return NULL;
}

// Makes the first start's preparations: nothing is added any more, and what is on disk is read.
GP__HOST void gp__tuner_begin(gp_tuner *t, gp__state *s) {
  int i;
  t->started = 1;
  t->path_room = GP__TUNED_PATH;
  t->path = (gp__step_of_path *)malloc(GP__TUNED_PATH * sizeof *t->path); // NULL: no path to report
  t->last = &t->first;
  for (i = 0; i < GP__TIMINGS; ++i) gp__return_timing(t, &t->timings[i]);
  gp__default_point(t, t->point);
  if (t->name) gp__tuner_read(t, s);
}

GP__HOST gp_result gp__tuner_start(
    gp_tuner *t, gp__state *s, const char *who, const uint64_t *numbers, int count, gp_stream stream) {
  const struct gp_driver *d = &s->library.runtime.driver;
  gp__section *section;
  gp__timing *w = NULL;
  gp_result result = GP_SUCCESS;
  int pushed = 0, capturing = 0, explored = 0, bucket, error, i;
  if (!t->parameters) return gp__fail(GP_E_ARGUMENT, "%s: the tuner has no parameters", who);
  if (gp__open_section(t))
    return gp__fail(GP_E_ARGUMENT, "%s: this thread's section is open: gp_tuner_stop before", who);
  if (!t->started) gp__tuner_begin(t, s);
  if (t->section_count == t->section_room) {
    const int room = 2 * t->section_room + 4;
    section = (gp__section *)realloc(t->sections, (size_t)room * sizeof *section);
    if (!section) return gp__fail(GP_E_MEMORY, "%s: no memory", who);
    t->sections = section;
    t->section_room = room;
  }
  if (s->context) {
    GP__CHECK(gp__enter(s, who, &pushed));
    error = stream && stream != (gp_stream)1 ? d->cuStreamIsCapturing(stream, &capturing) : 0;
    if (error) {
      gp__cuda_fail(&s->library.runtime, who, "stream: cuStreamIsCapturing", error);
      return gp__leave(s, who, pushed, GP_E_STREAM);
    }
  }
  if (!capturing) result = gp__collect_timings(t, s, who);
  if (t->section_count) { // the configuration is that of the open sections, and nobody's time counts
    for (i = 0; i < t->section_count; ++i) {
      gp__drop_timing(t, t->sections[i].timing);
      t->sections[i].timing = NULL;
    }
  } else {
    bucket = gp__find_bucket(t, numbers, count, 1);
    if (bucket < 0) result = gp__fail(GP_E_MEMORY, "%s: no memory", who);
    else if (!capturing && result == GP_SUCCESS) w = gp__take_timing(t, s);
    if (bucket >= 0) {
      if (w) explored = gp__tuner_choose(t, bucket, t->point);
      else memcpy(t->point, t->buckets[bucket].best, sizeof t->point);
    }
    t->bucket = bucket;
    gp__set_variables(t, t->point);
    if (bucket >= 0 && t->buckets[bucket].done == 2) {
      t->buckets[bucket].done = 1;
      if (t->name) gp__tuner_write(t, s);
    }
  }
  if (w) {
    w->bucket = t->bucket;
    w->explored = explored;
    memcpy(w->point, t->point, sizeof w->point);
    result = gp__stamp(t, s, who, w, 0, stream);
  }
  if (s->context) result = gp__leave(s, who, pushed, result);
  if (result != GP_SUCCESS) {
    gp__drop_timing(t, w);
    return result;
  }
  section = &t->sections[t->section_count++];
  section->thread = gp__this_thread();
  section->stream = stream;
  section->timing = w;
  return GP_SUCCESS;
}

enum { GP__SECTION_STOPS, GP__SECTION_RESTARTS, GP__SECTION_IS_REJECTED };
// Ends this thread's section, or its time so far.
GP__HOST gp_result gp__tuner_stop(gp_tuner *t, gp__state *s, const char *who, gp_stream stream, int way) {
  gp__section *section = gp__open_section(t);
  gp__timing *w;
  gp_result result = GP_SUCCESS;
  int building;
  if (!section) return gp__fail(GP_E_ARGUMENT, "%s: no section of this thread is open", who);
  w = section->timing;
  if (way != GP__SECTION_IS_REJECTED && section->stream != stream) {
    result = gp__fail(GP_E_ARGUMENT, "%s: stream is not that of gp_tuner_start: the section ends unmeasured", who);
    gp__drop_timing(t, w);
    w = NULL;
  }
  if (way == GP__SECTION_RESTARTS && result == GP_SUCCESS) {
    if (!w) return GP_SUCCESS;
    return gp__stamp(t, s, who, w, 0, stream);
  }
  *section = t->sections[--t->section_count];
  if (way == GP__SECTION_IS_REJECTED) {
    if (t->bucket >= 0) gp__tuner_learn(t, t->bucket, t->point, -1);
    gp__return_timing(t, w);
    return result;
  }
  if (!w) return result;
  building = w->loads != __atomic_load_n(&s->loads, __ATOMIC_RELAXED) && t->building < GP__BUILDING;
  t->building = building ? t->building + 1 : 0;
  if (!building) result = gp__stamp(t, s, who, w, 1, stream);
  if (building || result != GP_SUCCESS) {
    gp__drop_timing(t, w);
    return result;
  }
  w->next = NULL;
  *t->last = w;
  t->last = &w->next;
  return GP_SUCCESS;
}
