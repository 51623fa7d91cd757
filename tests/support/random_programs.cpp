#include "support/random_programs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "accy/result.hpp"
#include "dialect/dialects.hpp"
#include "dialect/tensor/numeric.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::test {

using choir::Value;
using tensor::TensorType;
using Sizes = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t elements_maximum = 200;

Sizes shape_of(const Value* value) { return TensorType::from(value->type())->static_shape(); }

std::int64_t count(const Sizes& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

double RandomPrograms::number() {
  if (is_integer(element_)) return static_cast<double>(below(7)) - (is_signed(element_) ? 3 : 0);
  if (!free_ && chance(0.3)) {
    constexpr std::array special{0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1e-40, -6e-8, 60000.0, 3e38};
    return chance(0.1) ? std::nan("") : special[below(special.size())];
  }
  return std::uniform_real_distribution<double>(-2, 2)(random_);
}

HostTensor RandomPrograms::tensor(std::span<const std::int64_t> shape) {
  std::vector<double> numbers(static_cast<std::size_t>(count({shape.begin(), shape.end()})));
  for (double& entry : numbers) entry = number();
  auto made = HostTensor::from_values(element_, shape, numbers);
  ACCY_ASSERT(made.has_value(), "a random tensor is refused");
  return std::move(*made);
}

/// Sometimes a splat: movements of these are a rule of their own.
Value* RandomPrograms::pick_moved() { return chance(0.1) ? splat_like(pick()) : pick(); }

Value* RandomPrograms::pick() {
  return chance(0.5) ? values_.back() : values_[below(values_.size())];
}

Value* RandomPrograms::pick_like(Value* value) {
  std::vector<Value*> same;
  for (Value* other : values_)
    if (other->type() == value->type()) same.push_back(other);
  return chance(0.4) ? same.back() : same[below(same.size())];
}

Value* RandomPrograms::splat_like(Value* value) {
  constexpr std::array floats{0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 4.0, 8.0, 3.0, 0.25, 5.0, -2.0};
  constexpr std::array integers{0, 1, 2, 3, 4, 5};
  choir::Context& context = builder_->context();
  const choir::Attribute number = is_float(element_)
                                      ? context.floating(floats[below(floats.size())])
                                      : context.integer(integers[below(integers.size())]);
  return builder_->create("tensor.constant", {}, {value->type()}, {{"value", number}})->result();
}

bool RandomPrograms::create(std::string_view name, std::initializer_list<Value*> operands,
                            std::vector<choir::NamedAttribute> attributes) {
  auto made = builder_->create_inferred(name, operands, attributes);
  if (!made) return false;
  values_.push_back((*made)->result());
  return true;
}

void RandomPrograms::elementwise() {
  constexpr std::array binaries{"tensor.mul", "tensor.add", "tensor.sub",
                                "tensor.div", "tensor.max", "tensor.min"};
  Value* const x = pick();
  if (chance(0.35)) {
    create(chance(0.7) ? "tensor.neg" : "tensor.abs", {x});
    return;
  }
  Value* const y = chance(0.5) ? splat_like(x) : pick_like(x);
  const std::size_t limit = chance(0.6) ? 2 : binaries.size();
  if (chance(0.3))
    create(binaries[below(limit)], {y, x});
  else
    create(binaries[below(limit)], {x, y});
}

void RandomPrograms::compare_and_select() {
  Value* const x = pick();
  Value* const y = pick_like(x);
  choir::Context& context = builder_->context();
  auto condition =
      builder_->create_inferred("tensor.compare", {x, y}, {{"predicate", context.word("lt")}});
  if (!condition) return;
  Value* const z = pick_like(x);
  create("tensor.select", {(*condition)->result(), z, chance(0.5) ? z : pick_like(x)});
}

void RandomPrograms::transpose() {
  Value* const x = pick_moved();
  Sizes permutation(shape_of(x).size());
  std::iota(permutation.begin(), permutation.end(), 0);
  if (permutation.size() >= 2 && chance(0.6))
    std::swap(permutation.back(), *(permutation.end() - 2));
  else
    std::shuffle(permutation.begin(), permutation.end(), random_);
  create("tensor.transpose", {x}, {{"permutation", builder_->context().integers(permutation)}});
}

void RandomPrograms::reshape() {
  Value* const x = pick_moved();
  Sizes shape = shape_of(x);
  if (shape.size() > 1 && chance(0.5))
    shape = {count(shape)};
  else if (shape.size() < 4 && chance(0.5))
    shape.insert(shape.begin(), 1);
  else
    std::reverse(shape.begin(), shape.end());
  const choir::Type type = TensorType::get(builder_->context(), element_, shape);
  values_.push_back(builder_->create("tensor.reshape", {x}, {type})->result());
}

void RandomPrograms::broadcast() {
  Value* const x = pick_moved();
  Sizes shape = shape_of(x);
  if (shape.size() > 3 || count(shape) > elements_maximum / 3) return;
  Sizes axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  for (std::int64_t& axis_size : shape)
    if (axis_size == 1 && chance(0.7)) axis_size = 3;
  if (chance(0.7)) {
    const std::size_t place = below(shape.size() + 1);
    for (std::size_t axis = place; axis < axes.size(); ++axis) ++axes[axis];
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(place), chance(0.8) ? 2 : size());
  }
  choir::Context& context = builder_->context();
  const choir::Type type = TensorType::get(context, element_, shape);
  values_.push_back(
      builder_->create("tensor.broadcast", {x}, {type}, {{"axes", context.integers(axes)}})
          ->result());
}

void RandomPrograms::slice() {
  Value* const x = pick_moved();
  const Sizes shape = shape_of(x);
  Sizes parts[4];  // axes, starts, limits, strides
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (chance(0.3)) continue;
    const std::size_t length = static_cast<std::size_t>(shape[axis]);
    const std::size_t start = chance(0.2) ? 0 : below(length + 1);
    parts[0].push_back(static_cast<std::int64_t>(axis));
    parts[1].push_back(static_cast<std::int64_t>(start));
    parts[2].push_back(static_cast<std::int64_t>(start + below(length - start + 1)));
    if (chance(0.3)) parts[1].back() = 0, parts[2].back() = shape[axis];
    parts[3].push_back(chance(0.7) ? 1 : 2);
  }
  choir::Context& context = builder_->context();
  create("tensor.slice", {x},
         {{"axes", context.integers(parts[0])},
          {"starts", context.integers(parts[1])},
          {"limits", context.integers(parts[2])},
          {"strides", context.integers(parts[3])}});
}

void RandomPrograms::concat() {
  Value* const x = pick();
  const Sizes shape = shape_of(x);
  if (shape.empty() || count(shape) > elements_maximum / 2) return;
  const auto axis = static_cast<std::int64_t>(below(shape.size()));
  create("tensor.concat", {x, pick_like(x)}, {{"axis", builder_->context().integer(axis)}});
}

void RandomPrograms::matmul() {
  choir::Context& context = builder_->context();
  const choir::Attribute accumulate =
      context.word(to_string(tensor::default_accumulate_type(element_)));
  for (int attempt = 0; attempt < 6; ++attempt)
    if (create("tensor.matmul", {pick(), values_[below(values_.size())]},
               {{"accumulate", accumulate}, {"order", context.word(free_ ? "free" : "fixed")}}))
      return;
}

void RandomPrograms::scale_columns() {
  Value* const x = pick();
  const Sizes shape = shape_of(x);
  for (Value* columns : values_) {
    if (shape.empty() || shape_of(columns) != Sizes{shape.back()}) continue;
    choir::Context& context = builder_->context();
    const Sizes axes{static_cast<std::int64_t>(shape.size()) - 1};
    Value* const spread =
        builder_
            ->create("tensor.broadcast", {columns}, {x->type()}, {{"axes", context.integers(axes)}})
            ->result();
    create("tensor.mul", {x, spread});
    return;
  }
}

void RandomPrograms::reduce() {
  constexpr std::array functions{"sum", "max", "min", "product"};
  Value* const x = pick();
  Sizes axes;
  for (std::size_t axis = 0; axis < shape_of(x).size(); ++axis)
    if (chance(0.5)) axes.push_back(static_cast<std::int64_t>(axis));
  choir::Context& context = builder_->context();
  const choir::Attribute accumulate =
      context.word(to_string(tensor::default_accumulate_type(element_)));
  create("tensor.reduce", {x},
         {{"function", context.word(functions[chance(0.5) ? 0 : below(functions.size())])},
          {"axes", context.integers(axes)},
          {"accumulate", accumulate},
          {"order", context.word(free_ ? "free" : "fixed")}});
}

void RandomPrograms::step(Family family) {
  if (family == Family::all) family = static_cast<Family>(below(5));
  switch (family) {
    case Family::algebra: return chance(0.9) ? elementwise() : compare_and_select();
    case Family::layout:
      if (chance(0.35)) return elementwise();
      if (chance(0.5)) return transpose();
      return chance(0.5) ? broadcast() : reshape();
    case Family::slices:
      if (chance(0.45)) return slice();
      if (chance(0.4)) return concat();
      if (chance(0.4)) return elementwise();
      return chance(0.5) ? transpose() : broadcast();
    case Family::matmul:
      if (chance(0.5)) return matmul();
      if (chance(0.5)) return transpose();
      return chance(0.7) ? elementwise() : scale_columns();
    default: break;
  }
  if (chance(0.4)) return reduce();
  if (chance(0.4)) return broadcast();
  if (chance(0.4)) return elementwise();
  return chance(0.5) ? transpose() : concat();
}

RandomProgram RandomPrograms::make(Family family, bool free, std::size_t operations, bool every) {
  constexpr std::array strict_types{ElementType::f32, ElementType::f16, ElementType::bf16,
                                    ElementType::f64, ElementType::i32, ElementType::i8,
                                    ElementType::u8};
  constexpr std::array free_types{ElementType::f32, ElementType::f64, ElementType::i32,
                                  ElementType::u8};
  free_ = free;
  element_ = chance(0.4) ? ElementType::f32
             : free      ? free_types[below(free_types.size())]
                         : strict_types[below(strict_types.size())];
  RandomProgram program{choir::Module(registry(), "contract"), nullptr, {}};
  choir::Context& context = program.module.context();
  program.module.operation().set_attribute(
      "numeric", context.dictionary({{"mode", context.word(free ? "fast" : "strict")},
                                     {"order", context.word(free ? "free" : "fixed")},
                                     {"accumulate", context.word("f32")}}));
  choir::Builder builder(program.module.body());
  program.function = builder.create("tensor.func", {}, {}, {{"symbol", context.symbol("main")}});
  builder.set_insertion_point_to_end(program.function->body());
  builder_ = &builder;
  values_.clear();
  const std::int64_t side = 2 + static_cast<std::int64_t>(below(2));
  std::vector<Sizes> shapes{{side, side}, {side, side}, {side}};
  if (family != Family::algebra) shapes.push_back({size(), side});
  if (chance(0.5)) shapes.push_back({size(), side, side});
  std::vector<choir::Attribute> names;
  for (const Sizes& shape : shapes) {
    program.inputs.push_back(tensor(shape));
    values_.push_back(
        program.function->body().add_argument(TensorType::get(context, element_, shape)));
    names.push_back(context.string("x" + std::to_string(names.size())));
  }
  program.function->set_attribute("inputs", context.array(names));
  for (std::size_t index = 0; index < operations; ++index) step(family);
  std::vector<Value*> results;
  names.clear();
  for (choir::Operation* operation : program.function->body().operations()) {
    if (!every && operation->next() != nullptr) continue;
    results.push_back(operation->result());
    names.push_back(context.string("y" + std::to_string(names.size())));
  }
  program.function->set_attribute("outputs", context.array(names));
  builder.create("tensor.return", results, std::span<const choir::Type>());
  return program;
}

}  // namespace accy::test
