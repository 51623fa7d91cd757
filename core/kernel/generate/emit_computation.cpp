// The computing operations of the tensor dialect as kernel operations, one entry each.
#include <string_view>
#include <unordered_map>

#include "kernel/generate/region_emitter.hpp"

namespace accy::kernel {

using choir::Operation;
using choir::Value;

namespace {

using Operands = std::vector<Value*>;
using Writer = Value* (*)(KernelBuilder& builder, const Operation& operation, const Operands& in);

Predicate predicate_of(std::string_view name) {
  for (Predicate predicate : {Predicate::eq, Predicate::ne, Predicate::lt, Predicate::le,
                              Predicate::gt, Predicate::ge})
    if (to_string(predicate) == name) return predicate;
  ACCY_ASSERT(false, "unknown predicate");
  return Predicate::eq;
}

Value* write_cast(KernelBuilder& builder, const Operation& operation, const Operands& in) {
  const ElementType element = element_of_tensor(*operation.result());
  // Through the element type, also when it is narrower than what is computed in: a cast rounds.
  return builder.cast(builder.cast(in[0], element), compute_type(element));
}

const std::unordered_map<std::string_view, Writer>& writers() {
  static const std::unordered_map<std::string_view, Writer> table{
      {"tensor.add",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.add(in[0], in[1]); }},
      {"tensor.sub",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.sub(in[0], in[1]); }},
      {"tensor.mul",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.mul(in[0], in[1]); }},
      {"tensor.div",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.div(in[0], in[1]); }},
      {"tensor.max",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.max(in[0], in[1]); }},
      {"tensor.min",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.min(in[0], in[1]); }},
      {"tensor.exp",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.exp(in[0]); }},
      {"tensor.log",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.log(in[0]); }},
      {"tensor.tanh",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.tanh(in[0]); }},
      {"tensor.erf",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.erf(in[0]); }},
      {"tensor.sqrt",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.sqrt(in[0]); }},
      {"tensor.neg",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.neg(in[0]); }},
      {"tensor.abs",
       [](KernelBuilder& b, const Operation&, const Operands& in) { return b.abs(in[0]); }},
      {"tensor.compare",
       [](KernelBuilder& b, const Operation& operation, const Operands& in) {
         return b.compare(predicate_of(operation.attribute("predicate").text()), in[0], in[1]);
       }},
      {"tensor.select",
       [](KernelBuilder& b, const Operation&, const Operands& in) {
         return b.select(in[0], in[1], in[2]);
       }},
      {"tensor.cast", write_cast},
  };
  return table;
}

}  // namespace

Value* RegionEmitter::emit_computation(const Operation& operation, const Point& point) {
  const auto writer = writers().find(operation.name());
  ACCY_ASSERT(writer != writers().end(),
              "no kernel form for " + std::string(operation.name()));
  Operands operands;
  for (const Value* operand : operation.operands()) operands.push_back(emit(*operand, point));
  builder_.set_location(operation.location());
  Value* result = writer->second(builder_, operation, operands);
  return finish(result, element_of_tensor(*operation.result()));
}

}  // namespace accy::kernel
