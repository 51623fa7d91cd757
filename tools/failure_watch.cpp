#include "tools/failure_watch.hpp"

#include "preparation/compiler_identity.hpp"
#include "support/file.hpp"
#include "tools/folder.hpp"

namespace accy::tools {

std::string FailureWatch::text_of(const choir::PassFailure& failure) const {
  return preparation::format_reproducer(
      {failure, profile_, std::string(preparation::compiler_identity())});
}

Status FailureWatch::record_into(const std::filesystem::path& folder,
                                 preparation::PreparationOptions& options) {
  ACCY_TRY(create_folder(folder));
  folder_ = folder;
  crashes_ = std::make_unique<CrashFileHandler>();
  options.failure = &failure_;
  options.keep_module_text = true;
  options.before_each = [this](choir::PassFailure pending) {
    pending.kind = choir::FailureKind::crashed;
    pending.error = "the process crashed in this pass, or right behind it";
    const std::string name = preparation::reproducer_name(program_, pending);
    prepare_crash_file((folder_ / name).string(), text_of(pending));
  };
  return {};
}

Error FailureWatch::write_reproducer(Error error) {
  if (folder_.empty() || failure_.module_text.empty()) return error;
  const std::filesystem::path path = folder_ / preparation::reproducer_name(program_, failure_);
  const std::string text = text_of(failure_);
  const Status written = write_file(path, std::as_bytes(std::span(text)));
  if (!written) return std::move(error).with(written.error().to_string());
  return std::move(error).with("leaving the reproducer " + path.string());
}

}  // namespace accy::tools
