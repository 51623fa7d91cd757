// Random tensor programs whose shapes are few, so that rewrite rules find their left sides often.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "accy/host_tensor.hpp"
#include "choir/builder.hpp"
#include "choir/module.hpp"

namespace accy::test {

/// What a program is made of.
enum class Family : std::uint8_t { algebra, layout, slices, matmul, reduction, all };

struct RandomProgram {
  choir::Module module;
  choir::Operation* function = nullptr;
  std::vector<HostTensor> inputs;
};

class RandomPrograms {
 public:
  explicit RandomPrograms(std::uint64_t seed) : random_(seed) {}

  /// A contract module. A free one is in fast mode of free order, of f32, f64 or integers, with
  /// moderate numbers; else it is strict, of any type, with NaN, infinities and zeros of both
  /// signs. Returns every operation's result, or the last one alone.
  RandomProgram make(Family family, bool free, std::size_t operations, bool every = true);

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
  std::int64_t size() { return static_cast<std::int64_t>(1 + below(3)); }

  double number();
  HostTensor tensor(std::span<const std::int64_t> shape);
  choir::Value* pick();
  choir::Value* pick_moved();
  choir::Value* pick_like(choir::Value* value);
  choir::Value* splat_like(choir::Value* value);
  bool create(std::string_view name, std::initializer_list<choir::Value*> operands,
              std::vector<choir::NamedAttribute> attributes = {});
  void step(Family family);
  void elementwise();
  void transpose();
  void reshape();
  void broadcast();
  void slice();
  void concat();
  void matmul();
  void scale_columns();
  void reduce();
  void compare_and_select();

  std::mt19937_64 random_;
  ElementType element_ = ElementType::f32;
  bool free_ = false;
  choir::Builder* builder_ = nullptr;
  std::vector<choir::Value*> values_;
};

}  // namespace accy::test
