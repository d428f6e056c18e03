// The embedded device text, inflated (src/core/inflate.c), and what NVRTC gets of it (src/core/device_text.c): texts
// that deflated.py makes, each in memory of its own size, damaged ones, no memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

// Allocations of the library: how many succeed before one fails (negative: all do).
static int allowed = -1;
static void *test_malloc(size_t size) { return allowed < 0 || allowed-- > 0 ? malloc(size) : nullptr; }

#include <stdlib.h> // before its function is renamed
#define GPUPRIMS_STATIC
#define GPUPRIMS_IMPLEMENTATION
#define malloc test_malloc
#include "gpuprims.h"
#undef malloc

static int passed, failed;
static void check(bool good, int line, const std::string &what) {
  passed += good;
  if (good) return;
  if (++failed <= 40) std::printf("FAILED: test_inflate.cpp:%d: %s\n", line, what.substr(0, 200).c_str());
#ifdef TEST_MUTANT
  std::exit(1);
#endif
}
#define CHECK(condition, what) check((condition), __LINE__, std::string(#condition) + ": " + (what))

// Inflates digits by the library; "damaged" if it refuses them. They are in memory of their own size.
static std::string inflated(const std::string &digits, size_t bytes) {
  std::vector<char> exact(digits.begin(), digits.end());
  char *const out = gp__inflate(exact.data(), exact.data() + exact.size(), bytes);
  if (!out) return "damaged";
  CHECK(out[bytes] == 0, "");
  const std::string text(out, bytes);
  std::free(out);
  return text;
}

struct Stream {
  std::string text, digits;
};
static std::vector<Stream> streams(int seed, int count) {
  std::vector<Stream> found;
  char command[100];
  std::snprintf(command, sizeof command, "python3 tests/unit/deflated.py %d %d", seed, count);
  FILE *pipe = popen(command, "r");
  std::string lines;
  char part[65536];
  for (size_t n; pipe && (n = fread(part, 1, sizeof part, pipe)) > 0;) lines.append(part, n);
  CHECK(pipe && pclose(pipe) == 0, command);
  size_t at = 0;
  const auto line = [&] {
    const size_t end = lines.find('\n', at), begin = at;
    at = end + 1;
    return lines.substr(begin, end - begin);
  };
  while (at < lines.size()) {
    Stream s;
    const std::string hex = line();
    for (size_t i = 0; hex != "-" && hex != "before" && i < hex.size(); i += 2)
      s.text += char(std::stoi(hex.substr(i, 2), nullptr, 16));
    for (int n = std::stoi(line()); n; --n) s.digits += line() + "\n";
    if (hex == "before") CHECK(inflated(s.digits, 200) == "damaged", "a match with what precedes the text");
    else found.push_back(s);
  }
  return found;
}
static void test_texts() {
  std::mt19937 random(3);
  const std::vector<Stream> all = streams(1, 30);
  CHECK(all.size() == 35, std::to_string(all.size()));
  for (const Stream &s : all) {
    CHECK(inflated(s.digits, s.text.size()) == s.text, s.digits);
    CHECK(inflated(s.digits, s.text.size() + 1) == "damaged", "a text shorter than it says");
    if (!s.text.empty()) CHECK(inflated(s.digits, s.text.size() - 1) == "damaged", "a longer one");
    std::string other = s.digits;
    for (const char bad : {'*', '?', '\\', ' ', '\x7f', '\xe1'}) {
      other[random() % (other.size() - 1)] = bad;
      CHECK(inflated(other, s.text.size()) == "damaged", "no digit");
      other = s.digits;
    }
    // Cut anywhere, and with any digit changed: refused, or another text; nothing is read or written out of place.
    for (int i = 0; i < 40; ++i) {
      other = s.digits.substr(0, random() % s.digits.size());
      const std::string cut = inflated(other, s.text.size());
      CHECK(cut == "damaged" || s.digits.size() - other.size() <= 4, std::to_string(other.size()));
      other = s.digits;
      other[random() % other.size()] = char('+' + random() % 16);
      inflated(other, s.text.size());
    }
  }
  for (int i = 0; i < 3000; ++i) { // noise
    std::string noise(random() % 200, 'a');
    for (char &c : noise) c = char('@' + random() % 27);
    inflated(noise, random() % 5000);
  }
}

// A header that embeds parts with these texts. Part 1 uses part 0.
static std::string listed(const std::vector<std::string> &texts) {
  std::string all = "parts\n", names, parts;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string number = std::to_string(i);
    all += "part" + number + ".cuh" + (i == 1 ? " 0\n" : "\n");
    names += "name" + number + " " + number + "\n";
    parts += "#line 1 \"part" + number + ".cuh\"\n" + texts[i] + "\n";
  }
  return all + "names\n" + names + "text\n" + parts;
}
// The library keeps pointers into the text that it was given last.
static bool take(const std::string &text) {
  static std::vector<char> kept;
  kept.assign(text.begin(), text.end());
  kept.push_back(0);
  return gp__take_whole(kept.data()) != 0;
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
static std::string key(const std::string &text, const char *program) {
  gp__part_set set;
  char hash[GP__HEX];
  CHECK(take(text), text);
  gp__needed_parts(program, set);
  gp__hash_parts(set, hash);
  return hash;
}

static void test_parts() {
  const std::string first = "#line 1 \"part0.cuh\"\n", second = "#line 1 \"part1.cuh\"\n";
  const std::string text = listed({"int a;\nint b;", "", "x"});
  CHECK(take(text), "");
  CHECK(written("name0") == header_of(first + "int a;\nint b;\n"), written("name0"));
  CHECK(written("name1") == header_of(first + "int a;\nint b;\n" + second + "\n"), written("name1"));
  CHECK(written("x name2;") == header_of("#line 1 \"part2.cuh\"\nx\n"), written("name2"));
  CHECK(written("nothing") == header_of(""), written("nothing"));
  CHECK(written("a##b") == header_of(first + "int a;\nint b;\n" + second + "\n#line 1 \"part2.cuh\"\nx\n"), "");
  for (const char *line : {"parts\n", "names\n", "text\n", "#line 1 \""}) {
    std::string other = text;
    other.replace(other.find(line), std::strlen(line), "other\n");
    CHECK(!take(other), line);
  }
  for (size_t size = 0; size < text.size(); ++size)
    CHECK(!take(text.substr(0, size)) || text[size - 1] == '\n', std::to_string(size));
  // Keys: the texts of a program's parts, nothing else.
  CHECK(key(text, "name0") == key(listed({"int a;\nint b;", "other", "y"}), "name0"), "");
  CHECK(key(text, "name1") != key(listed({"int a;\nint b;", "other", "x"}), "name1"), "");
  CHECK(key(text, "name0") != key(listed({"int a;\nint c;", "", "x"}), "name0"), "");
  CHECK(key(text, "name1") != key(listed({"int a;\nint c;", "", "x"}), "name1"), "");
}

// The text with its words, in memory of its own size; "damaged" if the library refuses it.
static std::string worded(const std::string &coded, size_t bytes) {
  const std::unique_ptr<char[]> exact(new char[coded.size() + 1]);
  std::memcpy(exact.get(), coded.c_str(), coded.size() + 1);
  char *const out = gp__with_words(exact.get(), bytes);
  if (!out) return "damaged";
  CHECK(out[bytes] == 0, "");
  const std::string text(out, bytes);
  std::free(out);
  return text;
}
static void test_words() {
  const std::string text = "if (unsigned x) x", coded = "unsigned \nif (\n\n\x81\x80x) x";
  CHECK(worded(coded, text.size()) == text && worded("\nx", 1) == "x" && worded("\n", 0).empty(), "");
  for (size_t bytes = 0; bytes < 40; ++bytes)
    CHECK(bytes == text.size() || worded(coded, bytes) == "damaged", std::to_string(bytes));
  for (size_t cut = 0; cut < coded.size(); ++cut)
    CHECK(worded(coded.substr(0, cut), text.size()) == "damaged", std::to_string(cut));
  CHECK(worded("a\n\n\x81", 1) == "damaged" && worded("\n\x80", 1) == "damaged", "a code without a word");
  std::string words, all, codes;
  for (int i = 0; i < 128; ++i) {
    words += std::string(1 + i, 'a' + char(i % 26)) + "\n";
    all += std::string(1 + i, 'a' + char(i % 26));
    codes += char(128 + i);
  }
  CHECK(worded(words + "\n" + codes, all.size()) == all, "");
  CHECK(worded(words + "b\n\n" + codes, all.size()) == "damaged", "more words than codes");
  // what would write far behind the room, and behind the list of words
  CHECK(worded(std::string(1000, 'a') + "\n\n" + std::string(100000, char(128)), 10) == "damaged", "");
  std::string many;
  for (int i = 0; i < 2000000; ++i) many += "a\n";
  CHECK(worded(many + "\n", 0) == "damaged", "");
}

// The header's own text, and damage to it.
static void test_own_text() {
  size_t bytes = 0;
  const char *text = gp__embedded_text(&bytes);
  CHECK(text && gp__take_parts(text), "");
  if (!text || !gp__device.count) return;
  CHECK(written("a##b").size() > 600000, "");
  for (int allocations = 0; allocations < 4; ++allocations) {
    allowed = allocations;
    CHECK(!gp__take_parts(text) && !gp__device.count, std::to_string(allocations));
    allowed = -1;
  }
  const std::string whole(text, bytes);
  const size_t begin = whole.find("\n/* device text of gpuprims.h\n");
  for (size_t cut = begin; cut < whole.size() - 3; cut += cut - begin < 100 ? 1 : whole.size() / 300)
    CHECK(!gp__take_parts(whole.substr(0, cut).c_str()), std::to_string(cut));
  std::string other = whole;
  other.replace(begin + 2, 2, "xx");
  CHECK(!gp__take_parts(other.c_str()), "another comment");
  CHECK(gp__take_parts(text), "");
}

int main() {
  test_words();
  test_own_text();
  test_texts();
  test_parts();
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
