// Where the tensors that a program names by file come from.
#pragma once

#include <string_view>

#include "accy/host_tensor.hpp"

namespace accy::tensor {

/// Implemented by whoever may read files; the evaluators and the compiler ask it.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  /// The tensor of that name in that file, as `tensor.weight {file, tensor}` says them; `where` is
  /// the place of the op, for errors.
  virtual Result<HostTensor> load(std::string_view file, std::string_view tensor,
                                  const SourceLocation& where) const = 0;
};

/// For programs that must not read files: every load is an error.
class NoWeights final : public WeightSource {
 public:
  Result<HostTensor> load(std::string_view file, std::string_view tensor,
                          const SourceLocation& where) const override {
    return fail(ErrorCode::not_found,
                "weight (" + std::string(tensor) + ") of file (" + std::string(file) +
                    ") cannot be read here: no weight source was given",
                where, "tensor.weight");
  }
};

}  // namespace accy::tensor
