// Test operations for the text form of choir, and how their texts are read, refused and compared.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <unordered_map>
#include <vector>

#include "choir/text.hpp"

namespace accy::choir {

inline Result<std::vector<Type>> infer_first(const Operation& operation) {
  if (operation.operand(0)->type() != operation.operand(1)->type())
    return fail(ErrorCode::invalid_input, "operand types differ");
  return std::vector<Type>{operation.operand(0)->type()};
}

inline void verify_even(const Operation& operation, Diagnostics& diagnostics) {
  const Attribute value = operation.attribute("value");
  if (value.is(AttributeKind::integer) && value.integer() % 2 != 0)
    diagnostics.report(operation, "value is odd (" + std::to_string(value.integer()) + ")");
}

inline Status verify_tensor(Type type) {
  if (type.parameters().size() == 2 && type.parameters()[0].is(AttributeKind::word)) return {};
  return fail(ErrorCode::invalid_input, "tensor takes an element type and a shape");
}

inline Status verify_anything(Type) { return {}; }

constexpr std::uint32_t bits(Trait trait) { return static_cast<std::uint32_t>(trait); }

inline const OperationDefinition definitions[] = {
    {.name = "test.value", .summary = "source", .operand_count = 0, .result_count = 1},
    {.name = "test.add",
     .summary = "inferred",
     .operand_count = 2,
     .result_count = 1,
     .infer = infer_first},
    {.name = "test.pair", .summary = "two results", .operand_count = 0, .result_count = 2},
    {.name = "test.even",
     .summary = "own rule",
     .operand_count = 0,
     .result_count = 0,
     .verify = verify_even},
    {.name = "test.use", .summary = "anything", .result_count = 0},
    {.name = "test.function",
     .summary = "symbol",
     .traits = Trait::symbol | Trait::isolated,
     .operand_count = 0,
     .result_count = 0,
     .region_count = 1},
    {.name = "test.loop", .summary = "one region", .region_count = 1},
    {.name = "test.branch", .summary = "two regions", .operand_count = 1, .region_count = 2},
    {.name = "test.yield",
     .summary = "terminator",
     .traits = bits(Trait::terminator),
     .result_count = 0},
};

inline const Registry& registry() {
  static const Registry shared = [] {
    Registry made;
    for (const OperationDefinition& definition : definitions) made.add(definition);
    for (std::string_view name : {"f32", "i32"}) made.add(TypeDefinition{name, nullptr});
    made.add(TypeDefinition{"tensor", verify_tensor});
    made.add(TypeDefinition{"box", verify_anything});
    return made;
  }();
  return shared;
}

/// Equality of two modules without the printer's help: both are imported into one context.
class Comparison {
 public:
  bool equal(const Module& a, const Module& b) { return same(a.operation(), b.operation()); }

 private:
  bool same_value(const Value& a, const Value& b) {
    map_[&a] = &b;
    return context_.import(a.type()) == context_.import(b.type()) && a.name() == b.name();
  }
  bool same(const Operation& a, const Operation& b) {
    if (&a.definition() != &b.definition() || a.operand_count() != b.operand_count() ||
        a.result_count() != b.result_count() || a.region_count() != b.region_count() ||
        a.attributes().size() != b.attributes().size())
      return false;
    const auto places_a = a.location().positions();
    const auto places_b = b.location().positions();
    if (!std::equal(places_a.begin(), places_a.end(), places_b.begin(), places_b.end()))
      return false;
    for (std::size_t i = 0; i < a.attributes().size(); ++i)
      if (a.attributes()[i].name != b.attributes()[i].name ||
          context_.import(a.attributes()[i].value) != context_.import(b.attributes()[i].value))
        return false;
    for (std::size_t i = 0; i < a.operand_count(); ++i)
      if (map_.at(a.operand(i)) != b.operand(i)) return false;
    for (std::size_t i = 0; i < a.region_count(); ++i)
      if (!same(a.body(i), b.body(i))) return false;
    for (std::size_t i = 0; i < a.result_count(); ++i)
      if (!same_value(*a.result(i), *b.result(i))) return false;
    return true;
  }
  bool same(const Block& a, const Block& b) {
    if (a.size() != b.size() || a.argument_count() != b.argument_count()) return false;
    for (std::size_t i = 0; i < a.argument_count(); ++i)
      if (!same_value(*a.argument(i), *b.argument(i))) return false;
    const Operation* other = b.front();
    for (const Operation* one = a.front(); one != nullptr; one = one->next(), other = other->next())
      if (!same(*one, *other)) return false;
    return true;
  }

  Context context_{registry()};
  std::unordered_map<const Value*, const Value*> map_;
};

inline Module read(std::string_view text) {
  auto module = parse(text, "test.choir", registry());
  EXPECT_TRUE(module) << (module ? "" : module.error().to_string());
  if (!module) return Module(registry(), "failed");
  return std::move(*module);
}

inline Error error_of(std::string_view text) {
  auto module = parse_and_verify(text, "test.choir", registry());
  EXPECT_FALSE(module) << text;
  return module ? Error{} : module.error();
}

/// print, parse and compare; also that the text is a fixed point.
inline void expect_round_trip(const Module& module) {
  const std::string text = print(module);
  auto again = parse(text, "other.choir", registry());
  ASSERT_TRUE(again) << again.error().to_string() << "\n" << text;
  EXPECT_TRUE(Comparison().equal(module, *again)) << text;
  EXPECT_EQ(print(*again), text);
}

inline std::string canonical(std::string_view text) {
  return print(read(text), {.locations = false, .names = true});
}

}  // namespace accy::choir
