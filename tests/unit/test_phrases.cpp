// Codes of two characters in the embedded device text (src/core/phrases.c) and what NVRTC gets in place of them
// (src/core/device_text.c): texts made up here, each in memory of its own size, random ones, damaged ones, no memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

// Allocations of the library: how many there were, and how many succeed before one fails (negative: all do).
static int allocations, allowed = -1;
static void *test_realloc(void *old, size_t size) {
  ++allocations;
  return allowed < 0 || allowed-- > 0 ? realloc(old, size) : nullptr;
}

#include <stdlib.h> // before its function is renamed
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define realloc test_realloc
#include "gpuprims.h"
#undef realloc

static int passed, failed;
static void check(bool good, int line, const std::string &what) {
  passed += good;
  if (good) return;
  if (++failed <= 40) std::printf("FAILED: test_phrases.cpp:%d: %s\n", line, what.c_str());
#ifdef TEST_MUTANT
  std::exit(1);
#endif
}
#define CHECK(condition, what) check((condition), __LINE__, std::string(#condition) + ": " + (what))

// A text as tools/amalgamate.py embeds it: a part of each of these texts. Part 1 uses part 0.
static std::string embedded(const std::string &phrases, const std::vector<std::string> &texts) {
  std::string all = "// before\n/* device text of gpuprims.h\nparts\n", names, parts;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string number = std::to_string(i);
    all += "part" + number + ".cuh" + (i == 1 ? " 0\n" : "\n");
    names += "name" + number + " " + number + "\n";
    parts += "#line 1 \"part" + number + ".cuh\"\n" + texts[i] + "\n";
  }
  return all + "names\n" + names + "phrases\n" + phrases + "text\n" + parts + "*/\n";
}
// The library keeps pointers into the text that it was given last.
static bool take(const std::string &text) {
  static char *kept;
  std::free(kept);
  kept = static_cast<char *>(std::malloc(text.size() + 1)); // so that the address checker sees a read behind it
  std::memcpy(kept, text.c_str(), text.size() + 1);
  return gp__take_parts(kept) != 0;
}
// NVRTC's text for a program that mentions these names.
static std::string written(const char *program) {
  gp__part_set set;
  gp__text t = {nullptr, 0, 0, 0};
  gp__needed_parts(program, set);
  gp__write_parts(set, &t);
  const std::string found = t.failed ? "no memory" : t.data;
  CHECK(t.failed || (t.size == found.size() && t.size < t.capacity), found);
  gp__free_text(&t);
  return found;
}
static std::string header_of(const std::string &parts) {
  return "#ifndef GPUPRIMS_H\n#define GPUPRIMS_H\n" + parts + "#endif\n";
}

static const char *const PHRASES = "$aconst $\n`a;\nreturn $\n$~\\\n$\n$1unsigned long long$\n";

static void test_expansion() {
  const std::string first = "#line 1 \"part0.cuh\"\n", second = "#line 1 \"part1.cuh\"\n";
  CHECK(take(embedded(PHRASES, {"$aint a$~ = 1`aa;", "$1 $1", "{$1$a}"})), "");
  const std::string zero = first + "const int a\\\n = 1;\nreturn a;\n";
  const std::string one = second + "unsigned long long unsigned long long\n";
  CHECK(written("name0") == header_of(zero), written("name0"));
  CHECK(written("name1") == header_of(zero + one), written("name1"));
  CHECK(written("x name2;") == header_of("#line 1 \"part2.cuh\"\n{unsigned long longconst }\n"), written("name2"));
  CHECK(written("nothing") == header_of(""), written("nothing"));
  // Codes at both ends, texts of one code, one character, and none.
  CHECK(take(embedded(PHRASES, {"$1x$1", "$~", "", "x"})), "");
  CHECK(written("a##b") ==
            header_of(first + "unsigned long longxunsigned long long\n" + second + "\\\n\n" +
                      "#line 1 \"part2.cuh\"\n\n#line 1 \"part3.cuh\"\nx\n"),
        written("a##b"));
  CHECK(take(embedded("", {"a", "b"})) && written("name1") == header_of(first + "a\n" + second + "b\n"), "no phrases");
}

// One allocation holds a text; without it the text has failed.
static void test_memory() {
  std::string text, whole;
  for (int i = 0; i < 10000; ++i) text += "$1x`a", whole += "unsigned long longx;\nreturn ";
  CHECK(take(embedded(PHRASES, {text})), "");
  allocations = 0;
  CHECK(written("name0") == header_of("#line 1 \"part0.cuh\"\n" + whole + "\n"), "");
  CHECK(allocations == 1, std::to_string(allocations));
  allowed = 0;
  CHECK(written("name0") == "no memory", "");
  allowed = -1;
}

// Lists and texts of random phrases, which the test encodes as it goes.
static void test_random() {
  std::mt19937 random(7);
  const std::string seconds = "abcxyzABCXYZ0189!#%&()+,-.:;<=>@[]^_{|}~", plain = "ab_(;{ \n\t#.\"";
  const auto some = [&](size_t most) {
    std::string found;
    for (size_t n = random() % most + 1; n; --n) found += plain[random() % plain.size()];
    return found;
  };
  for (int turn = 0; turn < 300; ++turn) {
    std::map<std::string, std::string> of;
    std::string list;
    for (unsigned i = 0; i < random() % 90; ++i) {
      const std::string code = {"$`"[random() % 2], seconds[random() % seconds.size()]};
      if (of.count(code)) continue;
      list += code + (of[code] = some(i % 5 ? 6 : 60)) + "$\n";
    }
    std::vector<std::string> texts(random() % 5 + 1);
    std::string parts;
    for (size_t k = 0; k < texts.size(); ++k) {
      parts += "#line 1 \"part" + std::to_string(k) + ".cuh\"\n";
      for (unsigned n = random() % 200; n; --n) {
        auto one = of.begin();
        if (!of.empty()) std::advance(one, random() % of.size());
        const bool coded = !of.empty() && random() % 3 == 0;
        const std::string text = coded ? one->second : some(3);
        texts[k] += coded ? one->first : text;
        parts += text;
      }
      parts += "\n";
    }
    CHECK(take(embedded(list, texts)), list);
    CHECK(written("a##b") == header_of(parts), written("a##b"));
  }
}

static void test_damage() {
  const std::string lists[] = {
      "$aconst $\n$bx",      // no end
      "$aconst $\n$bx$",     // no line feed
      "$aconst $\n$bx\n",    // no mark
      "$aconst $\n$bx`\n",   // another mark
      "$aconst $\n$bx$ \n",  // something after the mark
      "$aconst $\n$b$\n",    // an empty phrase
      "$aconst $\n$bx$a$\n", // a code in a phrase
      "$aconst $\n$ax$\n",   // a code twice
      "$aconst $\nbx$\n",    // no code
      "$aconst $\n\n",       // an empty line
      "$aconst $\n$",        // an escape at the end
  };
  for (const std::string &list : lists) CHECK(!take(embedded(list, {"$aint"})), list);
  const std::string texts[] = {"$b", "int$", "$", "`a", "int `", "$a$", "$A", "$a $\xe1", "$$aint", "$\na", "$a`"};
  for (const std::string &text : texts) {
    CHECK(!take(embedded("$aconst $\n", {text})), text);
    CHECK(!take(embedded("$aconst $\n", {"$aint;", text, "x"})), text);
    CHECK(gp__expanded_bytes(text.c_str(), text.c_str() + text.size()) == 0, text);
  }
  CHECK(take(embedded("$aconst $\n", {"$aint"})), "");
  const char *const cut = "int$a"; // behind its escape
  CHECK(gp__expanded_bytes(cut, cut + 4) == 0 && gp__expanded_bytes(cut, cut + 5) == 9, "");
  std::string text = embedded("$aconst $\n", {"$aint"});
  for (const char *line : {"parts\n", "names\n", "phrases\n", "text\n", "#line 1 \"", "*/\n"}) {
    std::string other = text;
    other.replace(other.find(line), std::strlen(line), "other\n");
    CHECK(!take(other), line);
  }
  for (size_t size = 0; size + 1 < text.size(); ++size) CHECK(!take(text.substr(0, size)), std::to_string(size));
  CHECK(take(text), "");
}

// Keys: the texts of a program's parts and the list of phrases, nothing else.
static std::string key(const std::string &text, const char *program) {
  gp__part_set set;
  char hash[GP__HEX];
  CHECK(take(text), text);
  gp__needed_parts(program, set);
  gp__hash_parts(set, hash);
  return std::string(hash) + " " + gp__device.hash;
}
static void test_keys() {
  const auto part = [](const std::string &text, const char *program) { return key(text, program).substr(0, 32); };
  const std::string text = embedded(PHRASES, {"$aint", "$1", "x"});
  CHECK(part(text, "name0") == part(embedded(PHRASES, {"$aint", "$1$1", "y"}), "name0"), "");
  CHECK(part(text, "name1") != part(embedded(PHRASES, {"$aint", "$1$1", "x"}), "name1"), "");
  CHECK(part(text, "name0") != part(embedded(PHRASES, {"$along", "$1", "x"}), "name0"), "");
  std::string list = PHRASES;
  list.replace(list.find("const"), 5, "CONST");
  CHECK(part(text, "name0") != part(embedded(list, {"$aint", "$1", "x"}), "name0"), "the same codes, another text");
  CHECK(key(text, "name0").substr(33) != key(embedded(list, {"$aint", "$1", "x"}), "name0").substr(33), "");
  CHECK(key(text, "name0").substr(33) != key(embedded(PHRASES, {"$aint", "$1", "y"}), "name0").substr(33), "");
}

// The header's own text: its list has no phrase in vain.
static void test_own_text() {
  size_t bytes = 0;
  const char *text = gp__embedded_text(&bytes);
  int phrases = 0, unused = 0;
  CHECK(text && gp__take_parts(text), "");
  if (!text || !gp__device.count) return;
  std::map<std::string, int> codes;
  for (const char *at = gp__device.text[0]; at < gp__device.text[gp__device.count]; ++at)
    if (gp__is_escape(*at)) ++codes[std::string(at, 2)], ++at;
  for (int escape = 0; escape < 2; ++escape)
    for (int second = 0; second < 256; ++second)
      if (gp__phrases[escape][second].bytes) {
        ++phrases;
        unused += !codes.count({"$`"[escape], char(second)});
      }
  CHECK(phrases >= 120 && size_t(phrases) == codes.size() && !unused, std::to_string(unused));
  const std::string whole = written("a##b");
  CHECK(whole.size() > 600000 && whole.find_first_of("$`") == std::string::npos, std::to_string(whole.size()));
}

int main() {
  test_own_text();
  test_expansion();
  test_memory();
  test_random();
  test_damage();
  test_keys();
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
