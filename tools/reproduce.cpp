#include "tools/reproduce.hpp"

#include <fmt/core.h>

#include "preparation/compiler_identity.hpp"
#include "preparation/reproducer.hpp"
#include "semantic/job.hpp"
#include "support/file.hpp"
#include "targets/registry.hpp"
#include "tools/json_output.hpp"

namespace accy::tools {
namespace {

using choir::PassFailure;
using nlohmann::json;

json failure_document(const PassFailure& failure) {
  return {{"pipeline", failure.pipeline}, {"kind", choir::to_string(failure.kind)},
          {"pass", failure.pass},         {"op", failure.op},
          {"symbol", failure.symbol},     {"error", failure.error}};
}

std::string failure_text(const PassFailure& failure) {
  return fmt::format("{} of {} ({})\n  {}", failure.pass.empty() ? "the seal" : failure.pass,
                     failure.pipeline, choir::to_string(failure.kind), failure.error);
}

}  // namespace

Result<ExitCode> run_reproduce(const ReproduceOptions& options, std::ostream& output) {
  ACCY_TRY_ASSIGN(const std::vector<std::byte> bytes,
                  read_file(options.file, semantic::program_bytes_maximum));
  const std::string file = options.file.string();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  ACCY_TRY_ASSIGN(const preparation::Reproducer reproducer,
                  preparation::parse_reproducer(text, file));
  const target::Backend* backend =
      reproducer.profile ? targets::find_backend(reproducer.profile->target) : nullptr;
  ACCY_TRY_ASSIGN(const std::optional<PassFailure> seen,
                  preparation::reproduce(reproducer, file, backend));
  const bool same = seen && preparation::same_failure(reproducer.failure, *seen);
  const bool same_compiler = reproducer.compiler == preparation::compiler_identity();
  if (options.json) {
    json document = json_document("reproduce");
    document["recorded"] = failure_document(reproducer.failure);
    document["seen"] = seen ? failure_document(*seen) : json(nullptr);
    document["reproduced"] = same;
    document["same_compiler"] = same_compiler;
    print_json(output, document);
  } else {
    output << "recorded: " << failure_text(reproducer.failure) << '\n';
    output << "seen:     " << (seen ? failure_text(*seen) : "no failure") << '\n';
    output << (same ? "reproduced" : "not reproduced")
           << (same_compiler ? "\n" : "; the recording is of another build of accy\n");
  }
  return same ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace accy::tools
