#include "choir/disk_store.hpp"

#include <algorithm>

#include "choir/bytecode.hpp"
#include "choir/product/store_files.hpp"
#include "choir/product/store_trace.hpp"

namespace accy::choir {

namespace fs = std::filesystem;

namespace {

/// Eviction goes on to here, so that it does not run at every insertion.
constexpr std::int64_t kept_after_eviction(std::int64_t bytes_maximum) {
  return bytes_maximum - bytes_maximum / 4;
}

bool facts_hold(const std::vector<Fact>& facts, const ProductLookup& lookup) {
  return std::ranges::all_of(
      facts, [&](const Fact& fact) { return lookup.value_of(fact.name) == fact.value; });
}

bool same_request(const ProductRequest& a, const ProductRequest& b) {
  return a.stage == b.stage && a.schema_version == b.schema_version && a.recipe == b.recipe &&
         a.predecessor == b.predecessor;
}

/// The product that a trace names; null when its object is not what it was.
RevisionRef read_product(const fs::path& folder, const store::Trace& trace,
                         const ProductLookup& lookup) {
  const fs::path path = folder / store::object_path(trace.object);
  const auto bytes = store::read_text(path, store::object_bytes_maximum);
  if (!bytes || digest_of(std::string_view(*bytes)) != trace.object) return {};
  Result<Module> module = decode(*bytes, path.string(), lookup.registry);
  if (!module || !lookup.spec.check(*module) || content_digest(*module) != trace.content) return {};
  store::touch(path);
  std::vector<Dependency> dependencies;
  if (lookup.source) dependencies.push_back({"source", lookup.source});
  return RevisionRef::adopt(
      new Revision(std::move(*module), {.address = {std::string(lookup.spec.stage), trace.content},
                                        .gates = {operation_schema(), lookup.spec.schema()},
                                        .dependencies = std::move(dependencies),
                                        .key = product_key(trace.request, trace.facts),
                                        .facts = trace.facts}));
}

}  // namespace

Result<std::unique_ptr<DiskStore>> DiskStore::open(const fs::path& folder,
                                                   DiskStoreOptions options) {
  ACCY_TRY(store::prepare_folder(folder));
  return std::unique_ptr<DiskStore>(new DiskStore(folder, std::move(options)));
}

RevisionRef DiskStore::find(const ProductRequest& request, const ProductLookup& lookup) {
  if (RevisionRef known = memory_.find(request, lookup)) return known;
  RevisionRef found = read(request, lookup);
  if (found) memory_.insert(request, found);
  const std::scoped_lock lock(mutex_);
  ++(found ? counters_.hits : counters_.misses);
  return found;
}

RevisionRef DiskStore::read(const ProductRequest& request, const ProductLookup& lookup) {
  const fs::path traces =
      folder_ / store::trace_folder(store::trace_request_digest(request, options_.identity));
  std::error_code error;
  for (fs::directory_iterator file(traces, error), end; !error && file != end;
       file.increment(error)) {
    const auto text = store::read_text(file->path(), store::trace_bytes_maximum);
    if (!text) continue;
    const Result<store::Trace> trace = store::parse_trace(*text, file->path().string());
    if (!trace || !same_request(trace->request, request) || trace->identity != options_.identity) {
      count_damaged();
      continue;
    }
    if (!facts_hold(trace->facts, lookup)) continue;
    if (RevisionRef product = read_product(folder_, *trace, lookup)) return product;
    count_damaged();
  }
  return {};
}

void DiskStore::count_damaged() {
  const std::scoped_lock lock(mutex_);
  ++counters_.damaged;
}

void DiskStore::insert(const ProductRequest& request, const RevisionRef& revision) {
  memory_.insert(request, revision);
  Status written = write(request, *revision);
  const std::scoped_lock lock(mutex_);
  ++(written ? counters_.inserted : counters_.failures);
  if (!written) last_failure_ = std::move(written);
}

Status DiskStore::write(const ProductRequest& request, const Revision& revision) {
  const std::string text = encode(revision.module());
  const auto bytes = static_cast<std::int64_t>(text.size());
  if (bytes > std::min(store::object_bytes_maximum, options_.bytes_maximum))
    return fail(ErrorCode::unsupported,
                "product of stage " + request.stage + " (" + std::to_string(bytes) +
                    " bytes) exceeds what the store may hold (" +
                    std::to_string(std::min(store::object_bytes_maximum, options_.bytes_maximum)) +
                    " bytes)");
  const RevisionMetadata& metadata = revision.metadata();
  const store::Trace trace{.request = request,
                           .identity = options_.identity,
                           .facts = metadata.facts,
                           .content = metadata.address.content,
                           .object = digest_of(std::string_view(text))};
  const std::string trace_text = store::format_trace(trace);
  // The object first: a trace never names what is not there yet.
  ACCY_TRY(store::write_whole(folder_, store::object_path(trace.object),
                              std::as_bytes(std::span(text))));
  const Digest asked = store::trace_request_digest(request, options_.identity);
  ACCY_TRY(store::write_whole(folder_, store::trace_path(asked, metadata.key.value),
                              std::as_bytes(std::span(trace_text))));
  keep_within_limit(bytes + static_cast<std::int64_t>(trace_text.size()));
  return {};
}

void DiskStore::keep_within_limit(std::int64_t written_bytes) {
  const std::scoped_lock lock(mutex_);
  if (bytes_ < 0) {
    const auto usage = store_usage(folder_);
    bytes_ = usage ? usage->bytes : 0;
  } else {
    bytes_ += written_bytes;
  }
  if (bytes_ <= options_.bytes_maximum) return;
  const auto cleanup = collect_garbage(folder_, kept_after_eviction(options_.bytes_maximum));
  bytes_ = cleanup ? cleanup->left.bytes : 0;
}

DiskStoreCounters DiskStore::counters() const {
  const std::scoped_lock lock(mutex_);
  return counters_;
}

Status DiskStore::last_failure() const {
  const std::scoped_lock lock(mutex_);
  return last_failure_;
}

}  // namespace accy::choir
