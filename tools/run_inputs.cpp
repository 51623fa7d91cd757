#include "tools/run_inputs.hpp"

#include <algorithm>
#include <charconv>
#include <random>

#include "dialect/host/host.hpp"
#include "evaluate/tensor_evaluator.hpp"
#include "frontend/npy.hpp"
#include "tools/assignments.hpp"

namespace accy::tools {
namespace {

constexpr std::string_view random_prefix = "random:";

Result<std::uint64_t> parse_seed(const std::string& name, std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return fail(ErrorCode::invalid_input, "seed of input " + name + " (" + std::string(text) +
                                              ") is not an integer in 0 to 2^64 - 1");
  return seed;
}

/// Uniform in 0 to 1 without 1; the standard's distributions differ between libraries.
double unit_interval(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

double random_value(ElementType element, std::mt19937_64& random) {
  if (is_float(element)) return 2 * unit_interval(random) - 1;
  if (element == ElementType::boolean) return static_cast<double>(random() >> 63);
  const auto value = static_cast<double>(random() >> 60);
  return is_signed(element) ? value - 8 : value;
}

}  // namespace

Result<RunInputs> read_run_inputs(const std::vector<std::string>& arguments) {
  RunInputs inputs;
  for (const std::string& argument : arguments) {
    ACCY_TRY_ASSIGN(const auto parts, split_assignment(argument));
    const auto& [name, value] = parts;
    if (inputs.tensors.contains(name) || inputs.seeds.contains(name))
      return fail(ErrorCode::invalid_input, "input " + name + " is given twice");
    if (value.starts_with(random_prefix)) {
      ACCY_TRY_ASSIGN(inputs.seeds[name], parse_seed(name, value.substr(random_prefix.size())));
    } else {
      ACCY_TRY_ASSIGN(inputs.tensors[name], frontend::read_npy(value));
    }
  }
  return inputs;
}

Status bind_dimensions(const choir::Operation& function, const RunInputs& inputs,
                       contract::DimensionBindings& dimensions) {
  const std::vector<std::string_view> names = host::strings(function, "inputs");
  evaluate::Bindings bindings(dimensions.begin(), dimensions.end());
  for (const auto& [name, tensor] : inputs.tensors) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) continue;  // make_inputs reports it with the names there are
    const auto index = static_cast<std::size_t>(found - names.begin());
    const auto type = tensor::TensorType::from(function.body().argument(index)->type());
    ACCY_ASSERT(type.has_value(), "input is no tensor");
    ACCY_TRY(evaluate::bind_shape(*type, tensor.element, tensor.shape, "input " + name, bindings));
  }
  dimensions.insert(bindings.begin(), bindings.end());
  return {};
}

namespace {

/// That every given name is an input's: a misspelt one is told before the one that it leaves out.
Status check_names(const RunInputs& inputs, std::span<const TensorPort> ports) {
  std::string names;
  for (const TensorPort& port : ports) names += (names.empty() ? "" : ", ") + port.name;
  const auto check = [&](const std::string& name) -> Status {
    if (std::ranges::find(ports, name, &TensorPort::name) != ports.end()) return {};
    return fail(ErrorCode::invalid_input,
                "program has no input " + name + " (inputs: " + names + ")");
  };
  for (const auto& [name, tensor] : inputs.tensors) ACCY_TRY(check(name));
  for (const auto& [name, seed] : inputs.seeds) ACCY_TRY(check(name));
  return {};
}

}  // namespace

Result<std::vector<HostTensor>> make_inputs(RunInputs inputs,
                                            std::span<const TensorPort> ports) {
  ACCY_TRY(check_names(inputs, ports));
  std::vector<HostTensor> tensors;
  for (const TensorPort& port : ports) {
    if (const auto seed = inputs.seeds.find(port.name); seed != inputs.seeds.end()) {
      ACCY_TRY_ASSIGN(HostTensor tensor, random_tensor(port.element, port.shape, seed->second));
      tensors.push_back(std::move(tensor));
      inputs.seeds.erase(seed);
    } else if (const auto given = inputs.tensors.find(port.name); given != inputs.tensors.end()) {
      tensors.push_back(std::move(given->second));
      inputs.tensors.erase(given);
    } else {
      return fail(ErrorCode::invalid_input,
                  "input " + port.name + " is not given; use --input " + port.name +
                      "=FILE.npy or --input " + port.name + "=random:SEED");
    }
  }
  return tensors;
}

Result<HostTensor> random_tensor(ElementType element, std::span<const std::int64_t> shape,
                                 std::uint64_t seed) {
  ACCY_TRY_ASSIGN(HostTensor tensor, HostTensor::zeros(element, shape));
  std::mt19937_64 random(seed);
  const std::int64_t count = tensor.count();
  for (std::int64_t index = 0; index < count; ++index)
    tensor.set(index, random_value(element, random));
  return tensor;
}

}  // namespace accy::tools
