#include "semantic/job.hpp"

#include "dialect/dialects.hpp"
#include "semantic/dimensions.hpp"
#include "semantic/numeric.hpp"
#include "support/file.hpp"

namespace accy::semantic {

bool is_tensor_operation(const choir::Operation& operation) {
  return operation.name().starts_with("tensor.");
}

choir::Operation* find_function(const choir::Module& module) {
  for (choir::Operation* operation : module.body().operations())
    if (operation->name() == "tensor.func") return operation;
  return nullptr;
}

namespace {

void verify_functions(const choir::Module& module, choir::Diagnostics& diagnostics) {
  std::size_t functions = 0;
  for (const choir::Operation* operation : module.body().operations()) {
    if (operation->name() == "tensor.func" && ++functions > 1)
      diagnostics.report(*operation, "is a second function; a program holds one");
    if (operation->name() != "tensor.func" && !diagnostics.has(*operation))
      diagnostics.report(*operation, "stands outside the program's function");
  }
  // A function that could not be read was reported.
  if (functions == 0 && diagnostics.empty())
    diagnostics.report(module.operation(), "holds no tensor.func");
}

void verify_semantic(const choir::Module& module, choir::Diagnostics& diagnostics) {
  if (Result<NumericContract> contract = numeric_contract(module); !contract)
    diagnostics.report(module.operation(), contract.error().message);
  verify_dimensions(module, diagnostics);
  verify_functions(module, diagnostics);
}

}  // namespace

const choir::StageSpec& SemanticStage::spec() {
  static const choir::StageSpec spec{.stage = "semantic",
                                     .version = 1,
                                     .legal = is_tensor_operation,
                                     .verify = verify_semantic,
                                     .verifies_any = true};
  return spec;
}

Result<SemanticModule> seal_semantic_module(choir::Module module) {
  ACCY_TRY_ASSIGN(SemanticModule job, choir::seal_job<SemanticStage>(std::move(module)));
  choir::RunRecord record = job.record();
  record.semantic_fingerprint = job.revision()->address().content.high;
  return SemanticModule(job.revision(), std::move(record));
}

Result<SemanticModule> parse_semantic_module(std::string_view text, std::string_view file) {
  ACCY_TRY_ASSIGN(choir::Module module, SemanticStage::spec().read(text, file, registry()));
  return seal_semantic_module(std::move(module));
}

Result<SemanticModule> read_semantic_module(const std::filesystem::path& path) {
  ACCY_TRY_ASSIGN(const std::vector<std::byte> content, read_file(path, program_bytes_maximum));
  return parse_semantic_module({reinterpret_cast<const char*>(content.data()), content.size()},
                               path.string());
}

}  // namespace accy::semantic
