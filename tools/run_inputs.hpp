// The inputs of `accy run`: from NPY files, or random with a seed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "accy/host_tensor.hpp"
#include "accy/session.hpp"
#include "contract/passes/bind_dimensions.hpp"
#include "choir/operation.hpp"

namespace accy::tools {

/// Inputs by name, as the command line gives them.
struct RunInputs {
  std::map<std::string, HostTensor, std::less<>> tensors;
  std::map<std::string, std::uint64_t, std::less<>> seeds;
};

/// Reads "name=x.npy" and "name=random:SEED" arguments with their files. A name given twice is an
/// error.
Result<RunInputs> read_run_inputs(const std::vector<std::string>& arguments);

/// Sizes of the named dimensions of the function as the tensors have them, added to `dimensions`.
/// Errors: a tensor of another type than its input, two sizes for one dimension.
Status bind_dimensions(const choir::Operation& function, const RunInputs& inputs,
                       contract::DimensionBindings& dimensions);

/// One tensor a port, in order. A port that was given nothing is an error.
Result<std::vector<HostTensor>> make_inputs(RunInputs inputs, std::span<const TensorPort> ports);

/// The same tensor on every machine: floats uniform in [-1, 1), signed integers in -8 to 7,
/// unsigned ones in 0 to 15.
Result<HostTensor> random_tensor(ElementType element, std::span<const std::int64_t> shape,
                                 std::uint64_t seed);

}  // namespace accy::tools
