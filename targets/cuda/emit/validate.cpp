#include "targets/cuda/emit/validate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <unordered_set>
#include <vector>

namespace accy::cuda {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Failure broken(std::string_view line, std::string_view rule) {
  return fail(ErrorCode::internal,
              fmt::format("emitted PTX breaks a rule: {} (line '{}')", rule, line));
}

template <std::size_t count>
bool contains_any(const std::vector<std::string_view>& parts,
                  const std::array<std::string_view, count>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(parts.begin(), parts.end(), word) != parts.end();
  });
}

constexpr std::array<std::string_view, 4> float_types{"f16", "bf16", "f32", "f64"};
constexpr std::array<std::string_view, 4> roundings{"rn", "rz", "rm", "rp"};
constexpr std::array<std::string_view, 4> integer_roundings{"rni", "rzi", "rmi", "rpi"};
constexpr std::array<std::string_view, 2> approximations{"approx", "full"};
constexpr std::array<std::string_view, 3> spaces{"global", "shared", "param"};
constexpr std::array<std::string_view, 5> rounded_opcodes{"add", "sub", "mul", "fma", "mad"};
constexpr std::array<std::string_view, 6> function_opcodes{"div", "sqrt", "rcp",
                                                           "ex2", "lg2",  "rsqrt"};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// `cvt` rounds unless it widens a float.
Status check_conversion(std::string_view line, const std::vector<std::string_view>& parts) {
  const bool rounded = contains_any(parts, roundings) || contains_any(parts, integer_roundings);
  const bool any_float = contains_any(parts, float_types);
  const std::string_view to = parts.size() >= 2 ? parts[parts.size() - 2] : "";
  const std::string_view from = parts.back();
  const bool widens =
      (from == "f16" && (to == "f32" || to == "f64")) || (from == "f32" && to == "f64");
  if (any_float && !rounded && !widens) return broken(line, "conversion without a rounding");
  return {};
}

Status check_opcode(std::string_view line, std::string_view opcode) {
  const std::vector<std::string_view> parts = split(opcode, '.');
  const std::string_view name = parts.front();
  const bool is_float = contains_any(parts, float_types);
  if (std::find(parts.begin(), parts.end(), "ftz") != parts.end())
    return broken(line, "flushes subnormals");
  if (name == "cvt") return check_conversion(line, parts);
  if (is_float && is_one_of(name, rounded_opcodes) && !contains_any(parts, roundings))
    return broken(line, "float arithmetic without a rounding");
  if (is_float && is_one_of(name, function_opcodes) && !contains_any(parts, roundings) &&
      !contains_any(parts, approximations))
    return broken(line, "float function without a rounding or .approx");
  if ((name == "ld" || name == "st") && !contains_any(parts, spaces))
    return broken(line, "access without a state space");
  return {};
}

/// Opcodes that broke no rule; a kernel has few, each many times.
using Accepted = std::unordered_set<std::string_view>;

Status check_instruction(std::string_view line, Accepted& accepted) {
  std::string_view text = line;
  if (text.starts_with("@")) text = trimmed(text.substr(std::min(text.find(' '), text.size())));
  const std::string_view opcode = text.substr(0, text.find_first_of(" ;"));
  if (accepted.contains(opcode)) return {};
  ACCY_TRY(check_opcode(line, opcode));
  accepted.insert(opcode);
  return {};
}

Status check_version(std::string_view line, const TracedProfile& profile) {
  const std::string_view text = trimmed(line.substr(std::string_view(".version").size()));
  int major = 0;
  int minor = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  const bool dotted = first.ec == std::errc() && first.ptr != end && *first.ptr == '.';
  if (!dotted || std::from_chars(first.ptr + 1, end, minor).ec != std::errc())
    return broken(line, "version is no number");
  if (major * 10 + minor > profile.read(&TargetProfile::code_version))
    return broken(line, fmt::format("version is above the profile's (code_version {})",
                                    profile.read(&TargetProfile::code_version)));
  return {};
}

Status check_header(const std::vector<std::string_view>& lines, const target::KernelCode& code,
                    const TracedProfile& profile) {
  if (lines.size() < 3 || !lines[0].starts_with(".version "))
    return broken(lines.front(), "the first line gives the version");
  ACCY_TRY(check_version(lines[0], profile));
  if (lines[1] != ".target " + profile.read(&TargetProfile::architecture))
    return broken(lines[1],
                  "target is not the profile's " + profile.read(&TargetProfile::architecture));
  if (lines[2] != ".address_size 64") return broken(lines[2], "address size is not 64");
  const std::string entry = ".visible .entry " + code.entry + "(";
  const bool found = std::any_of(lines.begin(), lines.end(),
                                 [&](std::string_view line) { return line.starts_with(entry); });
  return found ? Status() : broken(code.entry, "entry is missing");
}

}  // namespace

Status validate(const target::KernelCode& code, const TracedProfile& profile) {
  const std::string_view text(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
  const std::vector<std::string_view> lines = split(text, '\n');
  ACCY_TRY(check_header(lines, code, profile));
  Accepted accepted;
  for (const std::string_view line : lines) {
    const std::string_view instruction = trimmed(line);
    const bool other = instruction.empty() || instruction.front() == '.' ||
                       instruction.front() == '$' || instruction.front() == '{' ||
                       instruction.front() == '}';
    if (!other) ACCY_TRY(check_instruction(instruction, accepted));
  }
  return {};
}

}  // namespace accy::cuda
