// Tensor: a handle on a value of a graph under construction. accy/operations.hpp lists what can be
// done with it.
//
// A mistake is kept by the graph with the line of the call, and GraphBuilder::finish returns it.
// The tensor that a mistake gives is failed, and what is computed from it fails silently.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "accy/element_type.hpp"
#include "accy/export.hpp"

namespace accy {

namespace frontend {
class Graph;
}

/// The line of a program that calls a function; a default argument gives the caller's.
struct CallSite {
  const char* file = "";  ///< static storage
  std::uint32_t line = 0;

  static constexpr CallSite here(const char* file = __builtin_FILE(),
                                 std::uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

/// What a named dimension may be, in elements.
struct DimensionRange {
  std::optional<std::int64_t> default_size;  ///< where SessionOptions::dimensions says nothing
  std::optional<std::int64_t> minimum;       ///< 0 when absent
  std::optional<std::int64_t> maximum;
  friend bool operator==(const DimensionRange&, const DimensionRange&) = default;
};

/// One axis of a shape: a size in elements, or a name whose size is given when compiling.
class Dimension {
 public:
  template <std::integral Size>
  requires(!std::same_as<Size, bool>) Dimension(Size size)
      : size_(static_cast<std::int64_t>(size)) {}

  bool is_named() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  std::int64_t size() const { return size_; }  ///< 0 when named
  const DimensionRange& range() const { return range_; }
  friend bool operator==(const Dimension& a, const Dimension& b) {
    return a.name_ == b.name_ && a.size_ == b.size_;
  }

 private:
  friend Dimension dimension(std::string name, DimensionRange range);
  Dimension(std::string name, DimensionRange range)
      : name_(std::move(name)), range_(std::move(range)) {}

  std::int64_t size_ = 0;
  std::string name_;
  DimensionRange range_;
};

/// The dimension of that name; equal names are equal sizes. The range needs to be given once.
inline Dimension dimension(std::string name, DimensionRange range = {}) {
  return {std::move(name), std::move(range)};
}

using Shape = std::vector<Dimension>;

/// A value of a GraphBuilder, which must outlive it; cheap to copy.
class ACCY_EXPORT Tensor {
 public:
  /// Belongs to no graph; using it is an error of the graph that it is used with.
  Tensor() = default;
  bool failed() const { return value_ == 0; }
  /// f32 when failed.
  ElementType element() const;
  /// Empty when failed.
  Shape shape() const;

 private:
  friend class frontend::Graph;
  Tensor(frontend::Graph* graph, std::size_t value) : graph_(graph), value_(value) {}
  frontend::Graph* graph_ = nullptr;
  std::size_t value_ = 0;  // counts from 1; 0 is a failed one
};

/// A tensor or a number, where either will do, with the line that wrote it.
class Operand {
 public:
  using Number = std::variant<bool, std::int64_t, std::uint64_t, double>;

  Operand(const Tensor& tensor, CallSite site = CallSite::here()) : value_(tensor), site_(site) {}
  template <class T>
  requires std::is_arithmetic_v<T> Operand(T number, CallSite site = CallSite::here())
      : value_(to_number(number)), site_(site) {}

  /// Null for a number.
  const Tensor* tensor() const { return std::get_if<Tensor>(&value_); }
  const Number& number() const { return std::get<Number>(value_); }
  CallSite site() const { return site_; }

 private:
  template <class T>
  static Number to_number(T number) {
    if constexpr (std::same_as<T, bool>)
      return number;
    else if constexpr (std::floating_point<T>)
      return static_cast<double>(number);
    else if constexpr (std::is_signed_v<T>)
      return static_cast<std::int64_t>(number);
    else
      return static_cast<std::uint64_t>(number);
  }
  std::variant<Tensor, Number> value_;
  CallSite site_;
};

/// Axes of a tensor, negative ones counted from the last; by default all of them.
class Axes {
 public:
  Axes() = default;
  Axes(std::int64_t axis) : list_(std::vector{axis}) {}
  Axes(std::initializer_list<std::int64_t> axes) : list_(axes) {}
  Axes(std::vector<std::int64_t> axes) : list_(std::move(axes)) {}
  /// Nothing where all axes are meant.
  const std::optional<std::vector<std::int64_t>>& list() const { return list_; }

 private:
  std::optional<std::vector<std::int64_t>> list_;
};

}  // namespace accy
