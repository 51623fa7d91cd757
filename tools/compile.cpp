#include "tools/compile.hpp"

#include <algorithm>
#include <thread>

#include "choir/disk_store.hpp"
#include "choir/text.hpp"
#include "preparation/artifact.hpp"
#include "preparation/compiler_identity.hpp"
#include "semantic/job.hpp"
#include "support/file.hpp"
#include "tools/assignments.hpp"
#include "tools/failure_watch.hpp"
#include "tools/folder.hpp"
#include "tools/json_output.hpp"

namespace accy::tools {
namespace {

using preparation::Stage;
namespace fs = std::filesystem;

Status write_stages(const CompileResult& result, const fs::path& folder) {
  ACCY_TRY(create_folder(folder));
  for (std::size_t index = 0; index < preparation::stage_count; ++index) {
    const auto stage = static_cast<Stage>(index);
    const std::string text = choir::print(result.module.stage(stage)->module());
    const std::string name = std::string(preparation::to_string(stage)) + ".choir";
    ACCY_TRY(write_file(folder / name, std::as_bytes(std::span(text))));
  }
  return {};
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char character) {
    return character == '_' || (character >= '0' && character <= '9') ||
           (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
  });
}

Status write_code(const CompileResult& result, const fs::path& folder) {
  ACCY_TRY(create_folder(folder));
  const choir::Module& module = result.module.stage<Stage::target>().module();
  for (const choir::Operation* operation : module.body().operations()) {
    if (operation->name() != "target.code") continue;
    const std::string name(operation->symbol());
    if (!is_plain_name(name))
      return fail(ErrorCode::unsupported, "kernel name (" + name + ") cannot be a file name");
    const choir::Attribute code = operation->attribute("code");
    const auto bytes = code.is(choir::AttributeKind::data)
                           ? code.data()
                           : std::as_bytes(std::span(code.text()));
    const std::string extension(operation->attribute("extension").text());
    ACCY_TRY(write_file(folder / (name + extension), bytes));
  }
  return {};
}

/// "cuda:sm_90a" as a folder's name.
std::string folder_name(const TargetProfile& profile) {
  return profile.target + "-" + profile.name;
}

bool is_artifact(const fs::path& output) { return output.extension() == ".accy"; }

Status write_artifact(const CompileResult& result, const fs::path& file) {
  const std::string bytes = preparation::format_artifact(result.module, result.profile);
  return write_file(file, std::as_bytes(std::span(bytes)));
}

Status write_files(const CompileOptions& options, const std::vector<CompileResult>& results) {
  if (options.output.empty()) return {};
  if (is_artifact(options.output)) return write_artifact(results.front(), options.output);
  const auto wants = [&](std::string_view what) {
    return std::ranges::find(options.emit, what) != options.emit.end();
  };
  for (const CompileResult& result : results) {
    const fs::path folder =
        results.size() == 1 ? options.output : options.output / folder_name(result.profile);
    if (wants("stages")) ACCY_TRY(write_stages(result, folder));
    if (wants("code")) ACCY_TRY(write_code(result, folder / "code"));
  }
  return {};
}

struct Compiled {
  std::vector<CompileResult> results;
  std::optional<CacheReport> cache;
};

/// Products of earlier compiles, or at least what the targets of this one share.
Result<std::unique_ptr<choir::ProductStore>> open_store(const CompileOptions& options) {
  if (options.cache.empty()) return std::make_unique<choir::MemoryStore>();
  return choir::DiskStore::open(options.cache,
                                {.bytes_maximum = options.cache_bytes_maximum,
                                 .identity = std::string(preparation::compiler_identity())});
}

std::optional<CacheReport> report_of(const choir::ProductStore& store) {
  const auto* disk = dynamic_cast<const choir::DiskStore*>(&store);
  if (disk == nullptr) return std::nullopt;
  const Status failure = disk->last_failure();
  return CacheReport{disk->counters(), failure ? "" : failure.error().to_string()};
}

std::size_t core_count() { return std::max(1U, std::thread::hardware_concurrency()); }

Result<Compiled> compile(const CompileOptions& options) {
  if (is_artifact(options.output) && options.targets.size() > 1)
    return fail(ErrorCode::invalid_input, "an artifact (" + options.output.string() +
                                              ") is for one target, not " +
                                              std::to_string(options.targets.size()));
  std::vector<TargetChoice> choices;
  for (const std::string& name : options.targets) {
    ACCY_TRY_ASSIGN(TargetChoice choice, choose_target(name));
    choices.push_back(std::move(choice));
  }
  ACCY_TRY_ASSIGN(const std::unique_ptr<choir::ProductStore> store, open_store(options));
  preparation::PreparationOptions preparation;
  preparation.store = store.get();
  ACCY_TRY_ASSIGN(preparation.dimensions, parse_dimensions(options.dimensions));
  ACCY_TRY_ASSIGN(const semantic::SemanticModule program,
                  semantic::read_semantic_module(options.file));
  preparation.workers = options.workers > 0 ? options.workers : core_count();
  preparation.emit.validate = preparation.emit.validate || options.validate;
  Compiled compiled;
  for (const TargetChoice& choice : choices) {
    choir::TimingInstrumentation timing;
    preparation.instrumentation = options.timing ? &timing : nullptr;
    FailureWatch watch(options.file.stem().string(), choice.profile);
    if (!options.reproducers.empty()) ACCY_TRY(watch.record_into(options.reproducers, preparation));
    Result<CompileResult> compiled_one = compile_for(choice, program.fork(), preparation);
    if (!compiled_one) return fail(watch.write_reproducer(std::move(compiled_one.error())));
    CompileResult result = std::move(*compiled_one);
    if (options.timing) result.timing = CompileTiming{timing.passes(), timing.analyses()};
    // The targets after the first start from the program that was read for it.
    result.record.stages.front().reused = !compiled.results.empty();
    compiled.results.push_back(std::move(result));
  }
  compiled.cache = report_of(*store);
  return compiled;
}

}  // namespace

Result<CompileResult> compile_for(const TargetChoice& choice, semantic::SemanticModule program,
                                  preparation::PreparationOptions options) {
  options.profile = &choice.profile;
  options.backend = choice.backend;
  auto memory =
      preparation::prepare_memory_job_from_semantic_module(std::move(program), options);
  if (!memory) return fail(std::move(memory.error()));
  auto target = preparation::prepare_target_job_from_memory_job(std::move(*memory), options);
  if (!target)
    return fail(std::move(target.error()).with("compiling for " + choice.profile.id()));
  ACCY_TRY_ASSIGN(auto module, preparation::BackendPreparedModule::from(*target));
  return CompileResult{choice.profile, std::move(module), std::move(*target).take_record()};
}

Status run_compile(const CompileOptions& options, std::ostream& output) {
  ACCY_TRY_ASSIGN(const Compiled compiled, compile(options));
  ACCY_TRY(write_files(options, compiled.results));
  if (!options.json) {
    for (const CompileResult& result : compiled.results) print_for_people(result, output);
    if (compiled.cache) print_for_people(*compiled.cache, output);
    return {};
  }
  nlohmann::json documents = nlohmann::json::array();
  for (const CompileResult& result : compiled.results) {
    documents.push_back(to_document(result));
    if (compiled.cache) documents.back()["cache"] = to_document(*compiled.cache);
  }
  print_json(output, documents.size() == 1 ? documents[0] : documents);
  return {};
}

}  // namespace accy::tools
