#include "target/passes/emit_code.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "choir/builder.hpp"
#include "dialect/kernel/kernel.hpp"

namespace accy::target {

using choir::Attribute;
using choir::Operation;

namespace {

std::vector<Operation*> kernels(choir::Module& module) {
  std::vector<Operation*> found;
  for (Operation* operation : module.body().operations())
    if (operation->name() == kernel::op::func) found.push_back(operation);
  return found;
}

Error for_kernel(Error error, std::string_view doing, const Operation& function) {
  if (!error.where.known()) error.where = function.location().first();
  return std::move(error).with(std::string(doing) + " kernel @" + std::string(function.symbol()));
}

using OperationCounts = std::map<std::string_view, std::size_t>;

OperationCounts count_by_name(const Operation& function) {
  OperationCounts counts;
  function.walk([&](const Operation& operation) { ++counts[operation.name()]; });
  return counts;
}

/// One decision for each kind of operation that legalization replaced.
void record_expansions(choir::DecisionLog& log, const Operation& function,
                       const OperationCounts& before, const OperationCounts& after) {
  for (const auto& [name, count] : before) {
    const auto left = after.find(name);
    if (left != after.end() && left->second >= count) continue;
    log.record({.kind = "legalization",
                .subject = "@" + std::string(function.symbol()),
                .choice = std::string(name) + " written out in other operations",
                .reason = std::to_string(count) + " of them: the target has no instruction for it" +
                          (kernel::is_exact(function) ? " with the bits of an exact kernel" : ""),
                .places = choir::places_within(function)});
  }
}

void record_code(choir::DecisionLog& log, const Operation& function, const KernelCode& code,
                 bool validated) {
  if (!log.on()) return;
  log.record({.kind = "code",
              .subject = "@" + std::string(function.symbol()),
              .choice = code.format + ", " + std::to_string(code.bytes.size()) + " bytes",
              .reason = validated ? "accepted by the backend's validator"
                                  : "emitted without the backend's validator",
              .places = choir::places_within(function)});
}

Result<choir::PassChange> legalize(choir::PassContext& context, const Backend& backend,
                                   const TracedProfile& profile) {
  for (Operation* function : kernels(context.module)) {
    OperationCounts before;
    if (context.decisions.on()) before = count_by_name(*function);
    if (Status status = backend.legalize(*function, profile); !status)
      return fail(for_kernel(std::move(status.error()), "legalizing", *function));
    if (context.decisions.on())
      record_expansions(context.decisions, *function, before, count_by_name(*function));
  }
  return choir::PassChange::changed;
}

/// One dictionary a parameter: where it lies in the argument block and how it is used.
Attribute describe_arguments(const kernel::ArgumentLayout& layout, choir::Context& context) {
  std::vector<Attribute> arguments;
  for (const kernel::ArgumentSlot& slot : layout.slots)
    arguments.push_back(context.dictionary(
        {{"offset", context.integer(slot.offset_bytes)},
         {"bytes", context.integer(slot.size_bytes)},
         {"buffer", context.boolean(slot.is_buffer)},
         {"access", context.word(kernel::to_string(slot.access))}}));
  return context.array(arguments);
}

/// Text stays text, so that a printed module can be read; binary code always holds zero bytes.
Attribute code_attribute(const KernelCode& code, choir::Context& context) {
  const bool binary =
      std::find(code.bytes.begin(), code.bytes.end(), std::byte{0}) != code.bytes.end();
  if (binary) return context.data(code.bytes);
  return context.string({reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size()});
}

Status emit_kernel(Operation& function, const Backend& backend, const TracedProfile& profile,
                   const EmitOptions& options, choir::DecisionLog& log) {
  ACCY_TRY_ASSIGN(const KernelCode code, backend.emit(function, profile));
  if (options.validate) ACCY_TRY(backend.validate(code, profile));
  record_code(log, function, code, options.validate);
  ACCY_TRY_ASSIGN(const kernel::ArgumentLayout layout, kernel::argument_layout(function));
  choir::Context& context = function.context();
  choir::Builder builder(&function);
  builder.create("target.code", {}, {},
                 {{"symbol", function.attribute("symbol")},
                  {"format", context.string(code.format)},
                  {"extension", context.string(code.file_extension)},
                  {"entry", context.string(code.entry)},
                  {"code", code_attribute(code, context)},
                  {"workgroup", context.integers(kernel::workgroup_size(function))},
                  {"subgroup", context.integer(kernel::subgroup_size(function))},
                  {"shared_bytes", context.integer(kernel::shared_memory_bytes(function))},
                  {"block_bytes", context.integer(layout.size_bytes)},
                  {"arguments", describe_arguments(layout, context)}});
  function.erase();
  return {};
}

Result<choir::PassChange> emit(choir::PassContext& context, const Backend& backend,
                               const TracedProfile& profile, const EmitOptions& options) {
  for (Operation* function : kernels(context.module))
    if (Status status = emit_kernel(*function, backend, profile, options, context.decisions);
        !status)
      return fail(for_kernel(std::move(status.error()), "emitting", *function));
  return choir::PassChange::changed;
}

using Work = std::function<Result<choir::PassChange>(choir::PassContext&, const Backend&,
                                                     const TracedProfile&)>;

/// Notes what the work has read of the profile, also when it fails.
choir::Pass backend_pass(std::string_view name, std::string_view description, std::string options,
                         Work work, const Backend* backend, const TargetProfile* profile) {
  const auto run = [work = std::move(work), backend,
                    profile](choir::PassContext& context) -> Result<choir::PassChange> {
    const TracedProfile traced(*profile);
    Result<choir::PassChange> change = work(context, *backend, traced);
    context.facts.add("target", profile_field_json(*profile, "target"));
    for (ProfileRead& read : traced.reads()) context.facts.add(read.field, std::move(read.value));
    return change;
  };
  return {.name = name,
          .description = description,
          .options = std::move(options),
          .run = run,
          .preserved = {}};
}

Status check_arguments(std::string_view pass, const Backend* backend,
                       const TargetProfile* profile) {
  if (profile == nullptr)
    return fail(ErrorCode::invalid_input,
                "pass '" + std::string(pass) + "' needs a target profile");
  if (backend == nullptr)
    return fail(ErrorCode::invalid_input, "pass '" + std::string(pass) + "' needs a backend");
  return {};
}

std::span<const choir::PassOptionSpec> emit_option_specs() {
  static const choir::PassOptionSpec specs[] = {
      {"validate", "have the backend's validator accept every code", false}};
  return specs;
}

}  // namespace

bool EmitOptions::validation_requested() {
  const char* value = std::getenv("ACCY_VALIDATE_CODE");
  return value != nullptr && std::string_view(value) == "1";
}

choir::Pass legalize_pass(const Backend* backend, const TargetProfile* profile) {
  return backend_pass("accy-choir-legalize",
                      "Rewrite kernels into what the backend emits for the profile", {}, legalize,
                      backend, profile);
}

choir::PassRegistration legalize_registration(const Backend* backend,
                                              const TargetProfile* profile) {
  choir::PassRegistration made = choir::registration(legalize_pass(backend, profile));
  made.build = [backend, profile,
                name = made.name](const choir::PassOptionValues&) -> Result<choir::Pass> {
    ACCY_TRY(check_arguments(name, backend, profile));
    return legalize_pass(backend, profile);
  };
  return made;
}

choir::Pass emit_code_pass(const Backend* backend, const TargetProfile* profile,
                           const EmitOptions& options) {
  return backend_pass(
      "accy-choir-emit-code", "Replace kernels by target code",
      choir::spell_options(emit_option_specs(), {{"validate", options.validate}}),
      [options](choir::PassContext& context, const Backend& with, const TracedProfile& traced) {
        return emit(context, with, traced, options);
      },
      backend, profile);
}

choir::PassRegistration emit_code_registration(const Backend* backend, const TargetProfile* profile,
                                               const EmitOptions& options) {
  const choir::Pass defaults = emit_code_pass(backend, profile, options);
  return choir::registration(
      defaults, emit_option_specs(),
      [options, backend, profile,
       name = defaults.name](const choir::PassOptionValues& values) -> Result<choir::Pass> {
        ACCY_TRY(check_arguments(name, backend, profile));
        return emit_code_pass(backend, profile,
                              {.validate = options.validate || values.boolean("validate")});
      });
}

}  // namespace accy::target
