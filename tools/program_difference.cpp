#include "tools/program_difference.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <set>

#include "choir/text.hpp"
#include "semantic/job.hpp"

namespace accy::tools {
namespace {

using choir::Operation;
using choir::Value;

const Operation& function_of(const choir::Module& module) {
  return *semantic::find_function(module);
}

/// Values of a program's function by their number: what stays when only names change.
using Numbers = std::map<const Value*, std::size_t>;

Numbers number_values(const Operation& function) {
  Numbers numbers;
  for (std::size_t index = 0; index < function.body().argument_count(); ++index)
    numbers.emplace(function.body().argument(index), numbers.size());
  for (const Operation* operation : function.body().operations())
    for (std::size_t index = 0; index < operation->result_count(); ++index)
      numbers.emplace(operation->result(index), numbers.size());
  return numbers;
}

bool is_name_character(char character) {
  return character == '_' || character == '.' || (character >= '0' && character <= '9') ||
         (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

/// Compares two programs operation by operation, until one has another operation.
class ProgramComparison {
 public:
  ProgramComparison(const choir::Module& first, const choir::Module& second)
      : first_(first), second_(second), numbers_first_(number_values(function_of(first))),
        numbers_second_(number_values(function_of(second))) {}

  std::vector<ProgramDifference> run() {
    compare_attributes("the program's ", first_.operation(), second_.operation(), {});
    const choir::Block& a = function_of(first_).body();
    const choir::Block& b = function_of(second_).body();
    if (a.argument_count() != b.argument_count())
      add("the number of inputs", std::to_string(a.argument_count()),
          std::to_string(b.argument_count()), {});
    for (std::size_t index = 0; index < std::min(a.argument_count(), b.argument_count()); ++index)
      compare_types(fmt::format("the type of input %{}", a.argument(index)->name()),
                    *a.argument(index), *b.argument(index), {});
    const auto in_a = a.operations();
    const auto in_b = b.operations();
    for (std::size_t index = 0; index < std::min(in_a.size(), in_b.size()); ++index)
      if (!compare(*in_a[index], *in_b[index])) break;
    return std::move(differences_);
  }

 private:
  void add(const std::string& what, const std::string& a, const std::string& b,
           std::vector<SourceLocation> places) {
    differences_.push_back(
        {fmt::format("{} is {} in the first, {} in the second", what, a, b), std::move(places)});
  }

  bool compare(const Operation& a, const Operation& b) {
    std::vector<SourceLocation> places = choir::places_of(a.location());
    for (SourceLocation& place : choir::places_of(b.location())) places.push_back(std::move(place));
    const std::string line = fmt::format("line {}: ", a.location().first().line);
    if (a.name() != b.name() || a.result_count() != b.result_count()) {
      add(line + "the operation", choir::subject_of(a), choir::subject_of(b), places);
      return false;
    }
    compare_attributes(line + choir::subject_of(a) + ": ", a, b, places);
    for (std::size_t index = 0; index < a.result_count(); ++index)
      compare_types(line + "the type of " + choir::subject_of(a), *a.result(index),
                    *b.result(index), places);
    if (operands(a, numbers_first_) != operands(b, numbers_second_))
      add(line + "what " + choir::subject_of(a) + " reads", operand_names(a), operand_names(b),
          places);
    return true;
  }

  static std::vector<std::size_t> operands(const Operation& operation, const Numbers& numbers) {
    std::vector<std::size_t> list;
    for (const Value* operand : operation.operands()) list.push_back(numbers.at(operand));
    return list;
  }

  static std::string operand_names(const Operation& operation) {
    std::string text;
    for (const Value* operand : operation.operands())
      text += (text.empty() ? "%" : ", %") + std::string(operand->name());
    return text.empty() ? "nothing" : text;
  }

  void compare_types(const std::string& what, const Value& a, const Value& b,
                     const std::vector<SourceLocation>& places) {
    const std::string type_a = choir::print(a.type());
    const std::string type_b = choir::print(b.type());
    if (type_a != type_b) add(what, type_a, type_b, places);
  }

  void compare_attributes(const std::string& of, const Operation& a, const Operation& b,
                          const std::vector<SourceLocation>& places) {
    std::set<std::string> names;
    for (const choir::NamedAttribute& attribute : a.attributes()) names.emplace(attribute.name);
    for (const choir::NamedAttribute& attribute : b.attributes()) names.emplace(attribute.name);
    for (const std::string& name : names) {
      const auto text = [&](const Operation& operation) {
        const choir::Attribute attribute = operation.attribute(name);
        return attribute ? choir::print(attribute) : std::string("absent");
      };
      if (text(a) != text(b)) add(of + "attribute " + name, text(a), text(b), places);
    }
  }

  const choir::Module& first_;
  const choir::Module& second_;
  Numbers numbers_first_;
  Numbers numbers_second_;
  std::vector<ProgramDifference> differences_;
};

}  // namespace

std::vector<ProgramDifference> program_differences(const choir::Module& first,
                                                   const choir::Module& second) {
  return ProgramComparison(first, second).run();
}

Renamer::Renamer(const choir::Module& program) {
  for (const auto& [value, number] : number_values(function_of(program)))
    if (!value->name().empty()) numbers_.emplace(value->name(), number);
}

std::string Renamer::rename(std::string_view text) const {
  std::string renamed;
  while (!text.empty()) {
    std::size_t end = 1;
    if (text.front() == '%')
      while (end < text.size() && is_name_character(text[end])) ++end;
    const auto number = numbers_.find(text.substr(1, end - 1));
    const bool known = text.front() == '%' && number != numbers_.end();
    renamed += known ? "%" + std::to_string(number->second) : std::string(text.substr(0, end));
    text.remove_prefix(end);
  }
  return renamed;
}

}  // namespace accy::tools
