// GraphBuilder: a tensor program written in C++.
#pragma once

#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

#include "accy/export.hpp"
#include "accy/host_tensor.hpp"
#include "accy/operations.hpp"
#include "accy/program.hpp"

namespace accy {

/// The numeric contract of a program: docs/numerics.md.
struct NumericSettings {
  bool strict = false;       ///< the same bits on every device; implies fixed_order
  bool fixed_order = false;  ///< sums in one order on every device
  ElementType accumulate = ElementType::f32;  ///< least type of partial sums: f32 or f64
};

/// Builds one program; its tensors refer to it, also after a move. One thread at a time. The first
/// mistake is kept, with its line, and returned by finish().
class ACCY_EXPORT GraphBuilder {
 public:
  explicit GraphBuilder(CallSite site = CallSite::here());
  ~GraphBuilder();
  GraphBuilder(GraphBuilder&&) noexcept;
  GraphBuilder& operator=(GraphBuilder&&) noexcept;

  /// A new input; names are non-empty and different. Session::run takes inputs in this order.
  Tensor input(std::string_view name, ElementType element, const Shape& shape,
               CallSite site = CallSite::here());
  /// Gives a tensor out under a name; names are non-empty and different.
  void output(std::string_view name, const Tensor& tensor, CallSite site = CallSite::here());

  /// A tensor that is part of the program.
  Tensor constant(const HostTensor& value, CallSite site = CallSite::here());
  /// The same number everywhere; the shape may hold named dimensions.
  Tensor constant(ElementType element, const Operand& number, const Shape& shape = {});
  /// Row-major values, as many as the shape holds, in the C++ type that stores<T>(element) names.
  template <std::ranges::contiguous_range Values>
  Tensor constant(ElementType element, const Values& values, const Shape& shape,
                  CallSite site = CallSite::here()) {
    const std::span view(values);
    const bool fits = stores<std::remove_cv_t<typename decltype(view)::element_type>>(element);
    return constant_bytes(element, fits, std::as_bytes(view), shape, site);
  }
  /// Each element's index along an axis of the shape; narrow integers wrap.
  Tensor iota(ElementType element, const Shape& shape, std::int64_t axis = -1,
              CallSite site = CallSite::here());
  /// A tensor of a safetensors file; the path is relative to the weight folder of the session.
  Tensor weight(std::string_view file, std::string_view tensor, ElementType element,
                const Shape& shape, CallSite site = CallSite::here());

  void numeric(const NumericSettings& settings, CallSite site = CallSite::here());

  /// The first mistake so far; null while there is none.
  const Error* error() const;
  /// The verified program, or the first mistake. Nothing can be added afterwards.
  Result<Program> finish(CallSite site = CallSite::here());

 private:
  Tensor constant_bytes(ElementType element, bool fits, std::span<const std::byte> bytes,
                        const Shape& shape, CallSite site);
  std::unique_ptr<frontend::Graph> graph_;
};

}  // namespace accy
