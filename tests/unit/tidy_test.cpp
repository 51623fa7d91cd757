// What the tree itself must keep: include direction, target names, lengths, words, documents. Each
// rule is one test that lists every offence as path:line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace accy::test {
namespace {

namespace fs = std::filesystem;
using Offences = std::vector<std::string>;
using Words = std::vector<std::string_view>;

/// One text of the tree; `code` is the same lines with comments blanked, strings kept.
struct SourceFile {
  std::string path;
  std::vector<std::string> lines;
  std::vector<std::string> code;
};

bool is_digit(char character) {
  return std::isxdigit(static_cast<unsigned char>(character)) != 0;
}

/// Blanks comments. Knows strings and characters, but no raw strings: the tree has none.
std::string without_comments(std::string text) {
  enum class State { code, line_comment, block_comment, string, character };
  State state = State::code;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = i + 1 < text.size();
    if (text[i] == '\n') {
      if (state != State::block_comment) state = State::code;
    } else if (state == State::line_comment || state == State::block_comment) {
      const bool ends =
          state == State::block_comment && text[i] == '*' && pair && text[i + 1] == '/';
      text[i] = ' ';
      if (!ends) continue;
      text[++i] = ' ';
      state = State::code;
    } else if (state == State::string || state == State::character) {
      if (text[i] == '\\') ++i;
      else if (text[i] == (state == State::string ? '"' : '\'')) state = State::code;
    } else if (text[i] == '/' && pair && (text[i + 1] == '/' || text[i + 1] == '*')) {
      state = text[i + 1] == '/' ? State::line_comment : State::block_comment;
      text[i] = text[i + 1] = ' ';
      ++i;
    } else if (text[i] == '"') {
      state = State::string;
    } else if (text[i] == '\'' && !(i > 0 && is_digit(text[i - 1]))) {
      state = State::character;  // not the separator of 1'000
    }
  }
  return text;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

SourceFile make_file(std::string path, const std::string& text) {
  return {std::move(path), split_lines(text), split_lines(without_comments(text))};
}

bool has_extension(const fs::path& path, const Words& extensions) {
  const std::string extension = path.extension().string();
  return std::ranges::find(extensions, extension) != extensions.end();
}

/// The files under these folders of the tree, sorted by path.
std::vector<SourceFile> read_tree(const Words& folders, const Words& extensions) {
  const fs::path root(ACCY_SOURCE_DIR);
  std::vector<SourceFile> files;
  for (std::string_view folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !has_extension(entry.path(), extensions)) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      files.push_back(make_file(fs::relative(entry.path(), root).generic_string(), text));
    }
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

/// All of accy's own code but the tests.
const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> files =
      read_tree({"include", "core", "runtime", "targets", "tools", "examples"}, {".hpp", ".cpp"});
  return files;
}

const std::vector<SourceFile>& test_sources() {
  static const std::vector<SourceFile> files = read_tree({"tests"}, {".hpp", ".cpp"});
  return files;
}

std::string at(const SourceFile& file, std::size_t line_index) {
  return file.path + ":" + std::to_string(line_index + 1) + ": ";
}

void expect_none(const Offences& offences) {
  std::string list;
  for (const std::string& offence : offences) list += "\n  " + offence;
  EXPECT_TRUE(offences.empty()) << offences.size() << " offences" << list;
}

bool starts_with_any(std::string_view text, const Words& prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// ---- include direction ----

/// What files below a path may include: accy's own headers and other libraries' headers, both by
/// prefix. The standard library is always allowed. The longest matching path counts.
struct FolderRule {
  std::string path;
  Words headers;
  Words libraries;
};

/// Lower layers first. A stage sees earlier stages, never later ones; the profile only from the
/// kernel stage on; the evaluator only in contract, which folds constants with it.
std::vector<FolderRule> core_rules() {
  return {
      {"include/accy/", {"accy/"}, {"tl/"}},
      {"include/choir/", {"accy/result.hpp", "accy/digest.hpp", "accy/export.hpp", "choir/"}, {}},
      {"core/support/",
       {"accy/", "support/"},
       {"nlohmann/", "xxhash.h", "fcntl.h", "sys/", "unistd.h"}},
      {"core/choir/", {"accy/result.hpp", "accy/digest.hpp", "choir/", "support/"}, {"fmt/"}},
      {"core/profile/", {"accy/", "support/", "profile/"}, {"nlohmann/"}},
      {"core/dialect/", {"accy/", "support/", "choir/", "dialect/"}, {}},
      {"core/evaluate/", {"accy/", "support/", "choir/", "dialect/", "evaluate/"}, {"fmt/"}},
      {"core/frontend/",
       {"accy/", "support/", "choir/", "dialect/", "semantic/", "frontend/"},
       {"nlohmann/"}},
      // What the targets' legalizers share: linked without the stages.
      {"core/target/backend", {"accy/", "choir/", "profile/"}, {}},
      {"core/target/expan",
       {"accy/", "support/", "choir/", "dialect/", "profile/", "target/expan"},
       {}},
      {"core/target/loop_limit",
       {"accy/", "support/", "choir/", "dialect/", "profile/", "target/loop_limit"},
       {}},
  };
}

std::vector<FolderRule> stage_rules() {
  const Words order{"semantic/", "contract/", "tensor/", "dispatch/",
                    "memory/",   "kernel/",   "target/"};
  std::vector<FolderRule> rules;
  Words seen{"accy/", "support/", "choir/", "dialect/"};
  for (std::string_view stage : order) {
    if (stage == "kernel/") seen.push_back("profile/");
    seen.push_back(stage);
    FolderRule rule{"core/" + std::string(stage), seen, {"tl/"}};
    if (stage == "contract/") rule.headers.push_back("evaluate/");
    rules.push_back(std::move(rule));
  }
  seen.push_back("preparation/");
  rules.push_back({"core/preparation/", seen, {"accy_source_digest.hpp"}});  // made by CMake
  seen.insert(seen.end(), {"evaluate/", "frontend/", "inspect/"});
  rules.push_back({"core/inspect/", seen, {"fmt/", "nlohmann/"}});
  return rules;
}

/// The runtime reads a target product through the dialects and needs no stage, so that a saved
/// product will load without the compiler.
std::vector<FolderRule> outer_rules() {
  const Words core{"accy/",     "support/",  "choir/",    "profile/",  "dialect/",
                   "evaluate/", "frontend/", "semantic/", "contract/", "tensor/",
                   "dispatch/", "memory/",   "kernel/",   "target/",   "preparation/"};
  Words all = core;
  all.insert(all.end(), {"runtime/", "targets/"});
  Words tool = all;
  tool.push_back("tools/");
  return {{"runtime/",
           {"accy/", "support/", "choir/", "profile/", "dialect/", "evaluate/", "runtime/"},
           {"fmt/"}},
          {"targets/", all, {"fmt/"}},
          {"tools/", tool, {"CLI/", "fmt/", "nlohmann/"}},
          {"examples/", {"accy/"}, {"accy/"}}};  // as a user includes them
}

/// The compiler half of a target sees no runtime and no driver; the device half no emitter and no
/// dialect; neither sees another target. `target` is "cuda".
std::vector<FolderRule> target_rules(const std::string& target, std::set<std::string>& texts) {
  const auto own = [&](std::string_view part) -> std::string_view {
    return *texts.insert("targets/" + target + "/" + std::string(part)).first;
  };
  const Words compiler{"accy/", "support/", "choir/", "dialect/", "profile/", "target/backend.hpp",
                       "target/expan", "target/loop_limit.hpp", own("profile/")};
  Words emit = compiler;
  emit.insert(emit.end(), {own("emit/"), own("legalize/")});
  Words legalize = compiler;
  legalize.push_back(own("legalize/"));
  Words device{"accy/", "support/", "profile/", "runtime/", own("device/"), own("profile/")};
  // The interpreter's device is the evaluator, and its code is kernel text.
  if (target == "interpreter") device.insert(device.end(), {"choir/", "dialect/", "evaluate/"});
  const std::string folder = "targets/" + target + "/";
  return {{folder + "emit/", emit, {"fmt/", "spirv/", "spirv-tools/"}},
          {folder + "legalize/", legalize, {"fmt/"}},
          {folder + "profile/",
           {"accy/", "support/", "choir/", "dialect/", "profile/", own("profile/")},
           {"fmt/"}},
          {folder + "device/", device, {"fmt/", "volk.h", "dlfcn.h"}},
          {folder, {}, {}}};  // nothing else stands in a target's folder
}

const std::vector<FolderRule>& folder_rules() {
  static std::set<std::string> texts;  // owns what the target rules name
  static const std::vector<FolderRule> rules = [] {
    std::vector<FolderRule> all = core_rules();
    for (const auto& part : {stage_rules(), outer_rules()})
      std::ranges::copy(part, std::back_inserter(all));
    for (const auto& entry : fs::directory_iterator(fs::path(ACCY_SOURCE_DIR) / "targets")) {
      if (!entry.is_directory()) continue;
      const auto part = target_rules(entry.path().filename().string(), texts);
      std::ranges::copy(part, std::back_inserter(all));
    }
    return all;
  }();
  return rules;
}

const FolderRule* rule_for(std::string_view path) {
  const FolderRule* best = nullptr;
  for (const FolderRule& rule : folder_rules())
    if (path.starts_with(rule.path) && (best == nullptr || rule.path.size() > best->path.size()))
      best = &rule;
  return best;
}

/// The header that a line includes, with its opening bracket or quote; empty when it includes none.
std::string_view included(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || line[start] != '#') return {};
  const std::size_t word = line.find("include", start);
  if (word == std::string_view::npos) return {};
  const std::size_t open = line.find_first_of("<\"", word);
  const std::size_t close = line.find_first_of(">\"", open + 1);
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  return line.substr(open, close - open);
}

Offences include_offences(const std::vector<SourceFile>& files) {
  Offences offences;
  for (const SourceFile& file : files) {
    const FolderRule* rule = rule_for(file.path);
    if (rule == nullptr) {
      offences.push_back(file.path + ":1: no include rule covers this folder");
      continue;
    }
    for (std::size_t line = 0; line < file.code.size(); ++line) {
      const std::string_view header = included(file.code[line]);
      if (header.empty()) continue;
      const std::string_view name = header.substr(1);
      const bool standard = header[0] == '<' && name.find_first_of("./") == std::string_view::npos;
      if (standard || starts_with_any(name, header[0] == '<' ? rule->libraries : rule->headers))
        continue;
      offences.push_back(at(file, line) + rule->path + " may not include " + std::string(name));
    }
  }
  return offences;
}

TEST(Tidy, IncludesFollowTheDependencyRule) { expect_none(include_offences(sources())); }

TEST(Tidy, IncludeRuleFindsOffences) {
  const auto offences = [](std::string path, const std::string& line) {
    return include_offences({make_file(std::move(path), "// a\n#pragma once\n" + line + "\n")});
  };
  EXPECT_EQ(offences("core/memory/a.cpp", "#include \"kernel/schedule.hpp\""),
            Offences{"core/memory/a.cpp:3: core/memory/ may not include kernel/schedule.hpp"});
  EXPECT_TRUE(offences("core/kernel/a.cpp", "#include \"memory/job.hpp\"").empty());
  EXPECT_TRUE(offences("core/kernel/a.cpp", "// #include \"target/job.hpp\"").empty());
  EXPECT_EQ(offences("core/choir/a.cpp", "#include \"dialect/dialects.hpp\"").size(), 1U);
  EXPECT_EQ(offences("core/dispatch/a.cpp", "#include \"profile/profile.hpp\"").size(), 1U);
  EXPECT_EQ(offences("core/target/expand_a.cpp", "#include \"kernel/job.hpp\"").size(), 1U);
  EXPECT_EQ(offences("runtime/a.cpp", "#include \"targets/registry.hpp\"").size(), 1U);
  EXPECT_EQ(offences("runtime/a.cpp", "#include \"tools/run.hpp\"").size(), 1U);
  EXPECT_EQ(offences("core/bogus/a.cpp", "").size(), 1U);
  for (const auto& entry : fs::directory_iterator(fs::path(ACCY_SOURCE_DIR) / "targets")) {
    if (!entry.is_directory()) continue;
    const std::string folder = "targets/" + entry.path().filename().string();
    const std::string own = "#include \"" + folder;
    EXPECT_EQ(offences(folder + "/emit/a.cpp", "#include \"runtime/adapter.hpp\"").size(), 1U);
    EXPECT_EQ(offences(folder + "/emit/a.cpp", "#include <volk.h>").size(), 1U);
    EXPECT_EQ(offences(folder + "/emit/a.cpp", own + "/device/adapter.hpp\"").size(), 1U);
    EXPECT_EQ(offences(folder + "/device/a.cpp", own + "/emit/backend.hpp\"").size(), 1U);
    EXPECT_EQ(offences(folder + "/device/a.cpp", "#include \"targets/other/a.hpp\"").size(), 1U);
    EXPECT_TRUE(offences(folder + "/device/a.cpp", own + "/device/b.hpp\"").empty());
  }
}

// ---- words ----

bool is_word_character(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

/// Whether the text holds the word where no letter, digit or _ stands before it (nor, for a whole
/// word, behind it).
bool holds_word(std::string_view text, std::string_view word, bool whole) {
  for (std::size_t place = text.find(word); place != std::string_view::npos;
       place = text.find(word, place + 1)) {
    const std::size_t end = place + word.size();
    const bool starts = place == 0 || !is_word_character(text[place - 1]);
    if (starts && (!whole || end == text.size() || !is_word_character(text[end]))) return true;
  }
  return false;
}

std::string lower(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

/// A known offence, with the reason for it. One that is no longer needed is an offence itself.
struct Exception {
  std::string_view path;
  std::string_view reason;
};

Offences name_offences(const std::vector<SourceFile>& files, std::vector<Exception> exceptions) {
  const Words names{"cuda", "vulkan", "ptx", "spirv", "spir-v", "nvidia", "lavapipe", "sm_"};
  Offences offences;
  std::set<std::string_view> used;
  for (const SourceFile& file : files) {
    if (!starts_with_any(file.path, {"include/", "core/", "runtime/"})) continue;
    for (std::size_t line = 0; line < file.code.size(); ++line)
      for (std::string_view name : names) {
        if (!holds_word(lower(file.code[line]), name, false)) continue;
        const auto known = std::ranges::find(exceptions, file.path, &Exception::path);
        if (known != exceptions.end()) used.insert(known->path);
        else offences.push_back(at(file, line) + "names a target (" + std::string(name) + ")");
      }
  }
  for (const Exception& exception : exceptions)
    if (!used.contains(exception.path))
      offences.push_back(std::string(exception.path) + ":1: exception is not needed any more");
  return offences;
}

TEST(Tidy, CoreAndRuntimeNameNoTarget) {
  expect_none(name_offences(sources(), {}));
}

TEST(Tidy, NameRuleFindsOffences) {
  const auto files = [](const std::string& text) {
    return std::vector{make_file("core/a.cpp", text)};
  };
  EXPECT_EQ(name_offences(files("int a;\nif (format == \"spirv\") b();\n"), {}),
            Offences{"core/a.cpp:2: names a target (spirv)"});
  EXPECT_EQ(name_offences(files("CudaDevice d;\n"), {}).size(), 1U);
  EXPECT_TRUE(name_offences(files("/* cuda\n cuda */ int a; // ptx\n"), {}).empty());
  EXPECT_TRUE(name_offences(files("auto a = \"cuda\";\n"), {{"core/a.cpp", "a test"}}).empty());
  EXPECT_EQ(name_offences(files("int a;\n"), {{"core/a.cpp", "a test"}}).size(), 1U);
}

/// Words in whole lines, comments included; the pieces keep this file itself clean.
Offences banned_offences(const std::vector<SourceFile>& files) {
  const std::string open_markers[] = {"TO" "DO", "FIX" "ME", "XX" "X"};
  Offences offences;
  for (const SourceFile& file : files) {
    const bool library = starts_with_any(file.path, {"include/", "core/", "runtime/", "targets/"});
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      for (const std::string& marker : open_markers)
        if (holds_word(file.lines[line], marker, true))
          offences.push_back(at(file, line) + "open marker " + marker);
      if (holds_word(file.code[line], "assert" "(", false))
        offences.push_back(at(file, line) + "assert" "(; ACCY_ASSERT says what is wrong");
      if (library && holds_word(file.code[line], "std::" "cout", true))
        offences.push_back(at(file, line) + "a library does not print");
    }
  }
  return offences;
}

TEST(Tidy, NoBannedWords) {
  expect_none(banned_offences(sources()));
  expect_none(banned_offences(test_sources()));
}

TEST(Tidy, BannedWordRuleFindsOffences) {
  const std::string text =
      "// TO" "DO: later\nassert" "(x);\nstatic_assert(x);\nstd::" "cout << 1;\n";
  EXPECT_EQ(banned_offences({make_file("core/a.cpp", text)}).size(), 3U);
  EXPECT_EQ(banned_offences({make_file("tools/a.cpp", text)}).size(), 2U);
}

// ---- form ----

constexpr std::size_t line_limit = 100;     // columns
constexpr std::size_t file_limit = 500;     // lines
constexpr std::size_t function_limit = 60;  // lines
constexpr std::size_t test_limit = 700;  // lines: a test file is a list of cases, read one by one

std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

Offences form_offences(const std::vector<SourceFile>& files, std::size_t lines_maximum) {
  Offences offences;
  for (const SourceFile& file : files) {
    if (file.lines.size() > lines_maximum)
      offences.push_back(at(file, lines_maximum) + std::to_string(file.lines.size()) +
                         " lines (limit " + std::to_string(lines_maximum) + ")");
    const bool guarded = std::ranges::find(file.lines, "#pragma once") != file.lines.end();
    if (file.path.ends_with(".hpp") && !guarded)
      offences.push_back(file.path + ":1: has no #pragma once");
  }
  return offences;
}

Offences line_offences(const std::vector<SourceFile>& files) {
  Offences offences;
  for (const SourceFile& file : files)
    for (std::size_t line = 0; line < file.lines.size(); ++line)
      if (columns(file.lines[line]) > line_limit)
        offences.push_back(at(file, line) + std::to_string(columns(file.lines[line])) +
                           " columns (limit " + std::to_string(line_limit) + ")");
  return offences;
}

/// Braces of a file: which enclose functions, and how long those are. Knows what the tree's style
/// has: no macros with braces, no function-try-blocks.
class FunctionLengths {
 public:
  explicit FunctionLengths(const SourceFile& file) : file_(file) {}

  Offences over(std::size_t limit) {
    for (std::size_t line = 0; line < file_.code.size(); ++line) read_line(line, limit);
    return std::move(offences_);
  }

 private:
  enum class Scope { container, function, other };
  struct Open {
    Scope scope;
    std::size_t line;
  };

  void read_line(std::size_t line, std::size_t limit) {
    const std::string& code = file_.code[line];
    if (code.starts_with("#")) return;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const char character = code[i];
      const bool separates_digits = i > 0 && is_digit(code[i - 1]);
      if (character == '"' || (character == '\'' && !separates_digits))
        i = end_of_literal(code, i);
      else if (character == '{')
        open(line);
      else if (character == '}')
        close(line, limit);
      else if (character == ';')
        statement_.clear();
      else
        statement_ += character;
    }
    statement_ += ' ';
  }

  static std::size_t end_of_literal(const std::string& code, std::size_t start) {
    std::size_t i = start + 1;
    while (i < code.size() && code[i] != code[start]) i += code[i] == '\\' ? 2 : 1;
    return i;
  }

  void open(std::size_t line) {
    const bool in_container = open_.empty() || open_.back().scope == Scope::container;
    const auto says = [&](std::string_view word) { return holds_word(statement_, word, true); };
    Scope scope = Scope::other;
    const bool has_parameters = statement_.find('(') != std::string::npos;
    if (in_container &&
        (says("namespace") || (!has_parameters && (says("class") || says("struct")))))
      scope = Scope::container;
    else if (in_container && has_parameters)
      scope = Scope::function;
    open_.push_back({scope, line});
    statement_.clear();
  }

  void close(std::size_t line, std::size_t limit) {
    if (open_.empty()) return;
    const Open opened = open_.back();
    open_.pop_back();
    statement_.clear();
    const std::size_t lines = line - opened.line + 1;
    if (opened.scope == Scope::function && lines > limit)
      offences_.push_back(at(file_, opened.line) + "function of " + std::to_string(lines) +
                          " lines (limit " + std::to_string(limit) + ")");
  }

  const SourceFile& file_;
  std::string statement_;
  std::vector<Open> open_;
  Offences offences_;
};

Offences function_offences(const std::vector<SourceFile>& files, std::size_t limit) {
  Offences offences;
  for (const SourceFile& file : files)
    for (std::string& offence : FunctionLengths(file).over(limit))
      offences.push_back(std::move(offence));
  return offences;
}

TEST(Tidy, FunctionsAreShort) { expect_none(function_offences(sources(), function_limit)); }

TEST(Tidy, FunctionRuleFindsOffences) {
  const std::string body = "  call(\"}\");\n  if (x) {\n  }\n";
  const SourceFile file = make_file(
      "a.cpp", "namespace a {\nclass C {\n  int f() const {\n" + body + "  }\n};\nint g() {\n" +
                   body + body + "}\nint values[] = {\n1,\n2,\n3,\n4,\n5,\n6,\n7};\n}\n");
  EXPECT_EQ(function_offences({file}, 5), Offences{"a.cpp:9: function of 8 lines (limit 5)"});
  EXPECT_EQ(function_offences({file}, 4).size(), 2U);
}

TEST(Tidy, LinesFit) { expect_none(line_offences(sources())); }

TEST(Tidy, FilesAreShortAndHeadersGuarded) {
  expect_none(form_offences(sources(), file_limit));
  expect_none(form_offences(test_sources(), test_limit));
}

TEST(Tidy, FormRulesFindOffences) {
  EXPECT_EQ(form_offences({make_file("core/a.cpp", std::string(501, '\n'))}, 500).size(), 1U);
  EXPECT_TRUE(form_offences({make_file("core/a.cpp", std::string(500, '\n'))}, 500).empty());
  EXPECT_EQ(form_offences({make_file("core/a.hpp", "int a;\n")}, 500).size(), 1U);
  EXPECT_EQ(line_offences({make_file("core/a.cpp", "\n" + std::string(101, 'a'))}),
            Offences{"core/a.cpp:2: 101 columns (limit 100)"});
  EXPECT_TRUE(line_offences({make_file("core/a.cpp", std::string(99, 'a') + "→")}).empty());
}

// ---- documents ----

/// Paths in `code quotes` that look like files of the tree and do not exist.
Offences document_offences(const std::vector<SourceFile>& files) {
  const Words roots{"core/", "runtime/", "targets/", "include/", "docs/", "tests/",
                    "tools/", "examples/", "scripts/", "cmake/"};
  Offences offences;
  for (const SourceFile& file : files)
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      std::string_view rest = file.lines[line];
      while (rest.find('`') != std::string_view::npos) {
        rest.remove_prefix(rest.find('`') + 1);
        const std::size_t close = rest.find('`');
        if (close == std::string_view::npos) break;
        const std::string path(rest.substr(0, close));
        rest.remove_prefix(close + 1);
        const bool plain = path.find_first_of(" *<>{}$…") == std::string::npos &&
                           path.find("NAME") == std::string::npos;
        if (plain && starts_with_any(path, roots) && !fs::exists(fs::path(ACCY_SOURCE_DIR) / path))
          offences.push_back(at(file, line) + "mentions " + path + ", which does not exist");
      }
    }
  return offences;
}

TEST(Tidy, DocumentsMentionOnlyFilesThatExist) {
  std::vector<SourceFile> files = read_tree({"docs", "examples"}, {".md"});
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    std::ifstream stream(fs::path(ACCY_SOURCE_DIR) / name, std::ios::binary);
    files.push_back(make_file(name, std::string(std::istreambuf_iterator<char>(stream), {})));
    EXPECT_FALSE(files.back().lines.empty()) << name << " is missing";
  }
  expect_none(document_offences(files));
}

TEST(Tidy, DocumentRuleFindsOffences) {
  EXPECT_EQ(document_offences({make_file("docs/a.md", "see `core/nowhere.hpp` and `core/`\n")}),
            Offences{"docs/a.md:1: mentions core/nowhere.hpp, which does not exist"});
}

}  // namespace
}  // namespace accy::test
