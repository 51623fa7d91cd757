#include "support/case_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "support/file.hpp"

namespace accy::test {
namespace {

constexpr std::string_view separator = "// ----\n";

Failure malformed(const std::filesystem::path& path, std::uint32_t line, std::string message) {
  return fail(ErrorCode::invalid_input, std::move(message), {path.filename().string(), line, 1});
}

std::string_view trim(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<std::string> split_words(std::string_view text, std::string_view separators) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(separators);
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// The text behind the mark, trimmed; nothing when the line has no such mark at its start.
std::optional<std::string_view> behind(std::string_view line, std::string_view mark) {
  line = trim(line);
  if (!line.starts_with(mark)) return std::nullopt;
  return trim(line.substr(mark.size()));
}

/// "a=[1, 2] b=3": names and numbers; nothing when it is malformed.
std::optional<std::vector<NamedNumbers>> read_numbers(std::string_view text) {
  std::vector<NamedNumbers> list;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    NamedNumbers named{std::string(trim(text.substr(0, equals))), {}};
    text = trim(text.substr(equals + 1));
    std::size_t end = 0;
    for (int depth = 0; end < text.size(); ++end) {
      depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
      if (depth == 0 && (text[end] == ' ' || text[end] == ']')) break;
    }
    end = std::min(end + 1, text.size());
    named.numbers = split_words(text.substr(0, end), "[], ");
    text.remove_prefix(end);
    list.push_back(std::move(named));
  }
  return list;
}

std::optional<RunLine> read_run(std::string_view text, std::uint32_t line) {
  RunLine run{line, {}, {}, {}};
  const std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) return std::nullopt;
  std::string_view outputs = text.substr(arrow + 2);
  if (const std::size_t tilde = outputs.find('~'); tilde != std::string_view::npos) {
    run.tolerance = std::strtod(std::string(outputs.substr(tilde + 1)).c_str(), nullptr);
    outputs = outputs.substr(0, tilde);
    if (!(*run.tolerance > 0)) return std::nullopt;
  }
  auto from = read_numbers(text.substr(0, arrow));
  auto to = read_numbers(outputs);
  if (!from || !to || to->empty()) return std::nullopt;
  run.inputs = std::move(*from);
  run.outputs = std::move(*to);
  return run;
}

void read_test(std::string_view text, CaseFile& file) {
  for (std::string& word : split_words(text, " ")) {
    const std::size_t equals = word.find('=');
    if (file.action.empty()) file.action = std::move(word);
    else if (equals == std::string::npos) file.arguments.push_back(std::move(word));
    else file.options[word.substr(0, equals)] = word.substr(equals + 1);
  }
}

/// Errors named on lines of their own belong to the next line that is none of these.
Status read_marks(CaseFile& file) {
  constexpr std::string_view error_mark = "// error:";
  const auto lines = split_lines(file.input);
  std::vector<std::string> waiting;
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const auto number = static_cast<std::uint32_t>(index + 1);
    if (const auto test_text = behind(lines[index], "// test:")) {
      read_test(*test_text, file);
    } else if (const auto run_text = behind(lines[index], "// run:")) {
      auto run = read_run(*run_text, number);
      if (!run) return malformed(file.path, number, "malformed run line");
      file.runs.push_back(std::move(*run));
    } else if (const auto alone = behind(lines[index], error_mark)) {
      waiting.emplace_back(*alone);
    } else {
      for (std::string& each : waiting) file.errors.push_back({number, std::move(each)});
      waiting.clear();
      if (const std::size_t mark = lines[index].find(error_mark); mark != std::string_view::npos)
        file.errors.push_back(
            {number, std::string(trim(lines[index].substr(mark + error_mark.size())))});
    }
  }
  // Behind the last line: what the end of the text is blamed for.
  for (std::string& text : waiting)
    file.errors.push_back({static_cast<std::uint32_t>(lines.size() + 1), std::move(text)});
  return {};
}

std::uint32_t header_line(std::string_view input) {
  const auto lines = split_lines(input);
  for (std::size_t index = 0; index < lines.size(); ++index)
    if (lines[index].starts_with("choir")) return static_cast<std::uint32_t>(index + 1);
  return 1;
}

std::string line_differences(std::string_view expected, std::string_view output) {
  const auto wanted = split_lines(expected);
  const auto found = split_lines(output);
  for (std::size_t index = 0; index < std::max(wanted.size(), found.size()); ++index) {
    const std::string_view left = index < wanted.size() ? wanted[index] : "(end)";
    const std::string_view right = index < found.size() ? found[index] : "(end)";
    if (left != right)
      return "output line " + std::to_string(index + 1) + " differs\n  expected: " +
             std::string(left) + "\n  found:    " + std::string(right) +
             "\n(ACCY_BLESS=1 rewrites the case file)\n" + std::string(output);
  }
  return "line ends differ";
}

}  // namespace

Result<CaseFile> read_case_file(const std::filesystem::path& path) {
  ACCY_TRY_ASSIGN(const std::vector<std::byte> bytes, read_file(path, 1 << 20));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CaseFile file;
  file.path = path;
  const std::size_t line = text.find("\n" + std::string(separator));
  file.input = text.substr(0, line == std::string_view::npos ? text.size() : line + 1);
  if (line != std::string_view::npos) file.expected = text.substr(line + 1 + separator.size());
  ACCY_TRY(read_marks(file));
  if (file.action.empty()) return malformed(path, 1, "no '// test:' line");
  return file;
}

Status bless(const CaseFile& file, std::string_view output) {
  const std::string text = file.input + std::string(separator) + std::string(output);
  return write_file(file.path, std::as_bytes(std::span(text)));
}

std::string compare_output(std::string_view expected, std::string_view output) {
  bool matches = false;
  std::size_t place = 0;  // matches are found in order
  for (std::string_view line : split_lines(expected)) {
    if (const auto absent = behind(line, "// match-not:")) {
      matches = true;
      if (output.find(*absent) != std::string_view::npos)
        return "'" + std::string(*absent) + "' must not be in the output\n" + std::string(output);
    } else if (const auto present = behind(line, "// match:")) {
      matches = true;
      place = output.find(*present, place);
      if (place == std::string_view::npos)
        return "'" + std::string(*present) + "' is not in the rest of the output\n" +
               std::string(output);
      place += present->size();
    }
  }
  return matches || expected == output ? "" : line_differences(expected, output);
}

std::string compare_errors(const CaseFile& file, const Error& error) {
  const std::string prefix = file.path.filename().string() + ":";
  std::vector<ExpectedError> found;
  const std::string whole = error.to_string();
  for (std::string_view line : split_lines(whole)) {
    if (line.starts_with(prefix))
      found.push_back({static_cast<std::uint32_t>(
                           std::atoi(std::string(line.substr(prefix.size())).c_str())),
                       std::string(line)});
    else if (found.empty()) found.push_back({header_line(file.input), std::string(line)});
  }
  std::string differences;
  for (const ExpectedError& wanted : file.errors) {
    const auto met = std::ranges::find_if(found, [&](const ExpectedError& each) {
      return each.line == wanted.line && each.text.find(wanted.text) != std::string::npos;
    });
    if (met != found.end()) found.erase(met);
    else differences += "no error of line " + std::to_string(wanted.line) + " says '" +
                        wanted.text + "'\n";
  }
  for (const ExpectedError& extra : found) differences += "not expected: " + extra.text + "\n";
  return differences.empty() ? "" : differences + "\nall errors:\n" + whole;
}

}  // namespace accy::test
