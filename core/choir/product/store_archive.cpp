// A store's entries in one file: to send a warm cache elsewhere.
//
//   "accy-archive 1\n"
//   for each entry: its relative path, "\n", its size in bytes, "\n", the bytes
//   "end\n", the digest of all before it, "\n"
#include <algorithm>
#include <charconv>

#include "choir/disk_store.hpp"
#include "choir/product/store_files.hpp"
#include "choir/product/store_trace.hpp"
#include "support/file.hpp"

namespace accy::choir {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view archive_header = "accy-archive 1\n";
constexpr std::string_view archive_end = "end\n";
constexpr std::size_t checksum_bytes = 33;
constexpr std::int64_t archive_bytes_maximum = std::int64_t{1} << 32;

struct ArchiveEntry {
  fs::path path;
  std::string_view content;
};

/// The path that such content has in a store; nothing when it is neither object nor trace.
std::optional<fs::path> path_of(std::string_view kind, std::string_view content) {
  if (kind == "objects") return store::object_path(digest_of(content));
  if (kind != "traces") return std::nullopt;
  const auto trace = store::parse_trace(content, "archive");
  if (!trace) return std::nullopt;
  return store::trace_path(store::trace_request_digest(trace->request, trace->identity),
                           product_key(trace->request, trace->facts).value);
}

class ArchiveReader {
 public:
  ArchiveReader(std::string_view text, const fs::path& file) : text_(text), file_(file) {}

  Result<std::vector<ArchiveEntry>> read() {
    if (!text_.starts_with(archive_header))
      return malformed("is no archive of a store, or one of another version");
    if (text_.size() < archive_header.size() + archive_end.size() + checksum_bytes)
      return malformed("archive is cut off");
    const std::string_view body = text_.substr(0, text_.size() - checksum_bytes);
    if (text_.substr(body.size()) != digest_of(body).to_string() + "\n")
      return malformed("archive is not what was written (its digest differs)");
    rest_ = body.substr(archive_header.size());
    std::vector<ArchiveEntry> entries;
    while (rest_ != archive_end) {
      ACCY_TRY_ASSIGN(ArchiveEntry entry, read_entry());
      entries.push_back(std::move(entry));
    }
    return entries;
  }

 private:
  Failure malformed(std::string_view what) const {
    return fail(ErrorCode::invalid_input, file_.string() + ": " + std::string(what));
  }

  std::string_view read_line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return line;
  }

  Result<ArchiveEntry> read_entry() {
    const std::string_view name = read_line();
    const std::string_view size_text = read_line();
    std::size_t size = 0;
    const char* end = size_text.data() + size_text.size();
    if (std::from_chars(size_text.data(), end, size).ptr != end || size > rest_.size())
      return malformed("archive holds an entry without a size");
    const std::string_view content = rest_.substr(0, size);
    rest_.remove_prefix(size);
    // The path is made from the content, so that no name leads out of the store.
    const std::optional<fs::path> path = path_of(name.substr(0, name.find('/')), content);
    if (!path || path->generic_string() != name)
      return malformed("archive holds an entry that is not what its name says");
    return ArchiveEntry{*path, content};
  }

  std::string_view text_;
  std::string_view rest_;
  const fs::path& file_;
};

std::string archive_entry(const fs::path& path, std::string_view content) {
  return path.generic_string() + "\n" + std::to_string(content.size()) + "\n" +
         std::string(content);
}

}  // namespace

Result<StoreUsage> export_store(const fs::path& folder, const fs::path& file) {
  ACCY_TRY_ASSIGN(const std::vector<store::Entry> entries, store::list_entries(folder));
  StoreUsage usage;
  std::string text(archive_header);
  for (const store::Entry& entry : entries) {
    if (entry.kind == store::EntryKind::leftover) continue;
    const auto content = store::read_text(folder / entry.path, store::object_bytes_maximum);
    const std::string kind = entry.path.begin()->string();
    if (!content || path_of(kind, *content) != entry.path) continue;  // damaged
    text += archive_entry(entry.path, *content);
    ++(entry.kind == store::EntryKind::object ? usage.objects : usage.traces);
    usage.bytes += static_cast<std::int64_t>(content->size());
  }
  text += archive_end;
  text += digest_of(std::string_view(text)).to_string() + "\n";
  ACCY_TRY(write_file(file, std::as_bytes(std::span(text))));
  return usage;
}

Result<StoreUsage> import_store(const fs::path& folder, const fs::path& file) {
  ACCY_TRY_ASSIGN(const std::string text, store::read_text(file, archive_bytes_maximum));
  ACCY_TRY_ASSIGN(std::vector<ArchiveEntry> entries, ArchiveReader(text, file).read());
  ACCY_TRY(store::prepare_folder(folder));
  // Objects before the traces that name them; their paths sort so.
  std::ranges::sort(entries, {}, &ArchiveEntry::path);
  StoreUsage usage;
  for (const ArchiveEntry& entry : entries) {
    ACCY_TRY(store::write_whole(folder, entry.path, std::as_bytes(std::span(entry.content))));
    ++(entry.path.begin()->string() == "objects" ? usage.objects : usage.traces);
    usage.bytes += static_cast<std::int64_t>(entry.content.size());
  }
  return usage;
}

}  // namespace accy::choir
