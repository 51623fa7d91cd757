// The store on disk: what it gives back, what it refuses, and that no damage makes a wrong product.
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "choir/disk_store.hpp"
#include "choir/product/store_files.hpp"
#include "choir/product/store_trace.hpp"
#include "support/file.hpp"
#include "support/stages.hpp"
#include "support/temporary_folder.hpp"
#include "targets/registry.hpp"

namespace accy::test {
namespace {

namespace fs = std::filesystem;
using choir::DiskStore;
using preparation::Stage;
using ::testing::AllOf;
using ::testing::Gt;
using ::testing::HasSubstr;

constexpr std::string_view program = R"(choir semantic v1
tensor.func @main {inputs = ["a", "w"], outputs = ["y"]} (%a: tensor<f32, [12, 8]>, %w: tensor<f32, [8, 4]>) {
  %m = tensor.matmul %a, %w
  %y = tensor.softmax %m {axis = 1}
  tensor.return %y
}
)";

std::unique_ptr<DiskStore> open_store(const fs::path& folder, std::string identity = "test",
                                      std::int64_t bytes_maximum = std::int64_t{1} << 30) {
  auto store = DiskStore::open(folder, {bytes_maximum, std::move(identity)});
  EXPECT_TRUE(store.has_value()) << store.error().to_string();
  return std::move(*store);
}

/// The text of all products of a compile with that store.
std::string compile(choir::ProductStore* store) {
  static const TargetProfile profile = *targets::find_profile("interpreter:generic");
  preparation::PreparationOptions options;
  options.profile = &profile;
  options.backend = targets::find_backend(profile.target);
  options.store = store;
  const auto module = prepare(program, options);
  if (!module) return module.error().to_string();
  std::string text;
  for (std::size_t stage = 0; stage < preparation::stage_count; ++stage)
    text += choir::print(module->stage(static_cast<Stage>(stage))->module());
  return text;
}

const std::string& expected() {
  static const std::string text = compile(nullptr);
  return text;
}

std::string read_file_text(const fs::path& path) {
  return choir::store::read_text(path, std::int64_t{1} << 30).value_or("");
}

void write_text(const fs::path& path, std::string_view text) {
  ASSERT_TRUE(write_file(path, std::as_bytes(std::span(text))));
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  const auto entries = choir::store::list_entries(folder);
  EXPECT_TRUE(entries.has_value()) << entries.error().to_string();
  for (const choir::store::Entry& entry : *entries) files.push_back(folder / entry.path);
  return files;
}

/// Runs the function in a process of its own; true when it returned true.
template <class Function>
bool in_child(Function function) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(function() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class DiskStoreTest : public ::testing::Test {
 protected:
  /// A folder that one compile filled.
  void fill() { ASSERT_EQ(compile(open_store(path_).get()), expected()); }
  /// Leaves the kernels' own products alone, so that a compile reads those too.
  void forget_target_stage() {
    for (const fs::path& file : files_of(path_)) {
      const auto trace = choir::store::parse_trace(read_file_text(file), "trace");
      if (trace && trace->request.stage == "target") fs::remove(file);
    }
  }
  void expect_sound() {
    const auto faults = choir::verify_store(path_);
    ASSERT_TRUE(faults.has_value()) << faults.error().to_string();
    for (const choir::StoreFault& fault : *faults)
      ADD_FAILURE() << fault.path << ": " << fault.what;
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "cache";
};

TEST_F(DiskStoreTest, AnotherStoreFindsWhatOneWrote) {
  fill();
  expect_sound();
  const auto store = open_store(path_);
  EXPECT_EQ(compile(store.get()), expected());
  const choir::DiskStoreCounters counters = store->counters();
  EXPECT_EQ(counters.hits, preparation::stage_count - 1);  // the kernels' with their stage
  EXPECT_EQ(counters.misses + counters.inserted + counters.damaged + counters.failures, 0U);
  EXPECT_TRUE(store->last_failure());
}

TEST_F(DiskStoreTest, AnotherCompilersProductsAreNotFound) {
  fill();
  const auto store = open_store(path_, "another");
  EXPECT_EQ(compile(store.get()), expected());
  EXPECT_EQ(store->counters().hits, 0U);
  EXPECT_GT(store->counters().inserted, 0U);
  expect_sound();
}

TEST_F(DiskStoreTest, RefusesFoldersThatAreNoStore) {
  const auto message = [](const fs::path& folder) {
    const auto store = DiskStore::open(folder, {});
    return store ? std::string("no error") : store.error().message;
  };
  fs::create_directories(path_);
  EXPECT_EQ(message(path_), "no error") << "an empty folder becomes one";
  write_text(path_ / "accy-store", "accy-store 2\n");
  EXPECT_THAT(message(path_), HasSubstr("is a store of another version (accy-store 2, not accy-"));
  const fs::path other = folder_.path() / "other";
  fs::create_directories(other);
  write_text(other / "thesis.txt", "all of it");
  EXPECT_THAT(message(other), HasSubstr("is not a store of accy and not empty (holds thesis.txt)"));
  EXPECT_THAT(message(other / "thesis.txt"), HasSubstr("folder cannot be created"));
  EXPECT_THAT(choir::collect_garbage(other, 0).error().message,
              HasSubstr("is not a store of accy"));
  EXPECT_TRUE(fs::exists(other / "thesis.txt"));
}

TEST_F(DiskStoreTest, CutOffFilesAreMisses) {
  fill();
  for (const fs::path& file : files_of(path_)) {
    const std::string whole = read_file_text(file);
    for (std::size_t size = 0; size < whole.size(); size += 64) {
      forget_target_stage();
      write_text(file, std::string_view(whole).substr(0, size));
      ASSERT_EQ(compile(open_store(path_).get()), expected()) << file << " cut at " << size;
      ASSERT_EQ(read_file_text(file), whole) << "is written anew";
    }
  }
  expect_sound();
}

TEST_F(DiskStoreTest, FlippedBitsAreMisses) {
  fill();
  std::mt19937 random(3);
  const std::vector<fs::path> files = files_of(path_);
  std::uint64_t damaged = 0;
  for (int round = 0; round < 400; ++round) {
    const fs::path& file = files[random() % files.size()];
    forget_target_stage();
    if (!fs::exists(file)) continue;
    std::string text = read_file_text(file);
    text[random() % text.size()] ^= static_cast<char>(1U << random() % 8);
    write_text(file, text);
    const auto store = open_store(path_);
    ASSERT_EQ(compile(store.get()), expected()) << file;
    damaged += store->counters().damaged;
  }
  EXPECT_THAT(damaged, Gt(100U));
  expect_sound();
}

TEST_F(DiskStoreTest, ForgedTracesAreMisses) {
  fill();
  for (const fs::path& file : files_of(path_)) {
    auto trace = choir::store::parse_trace(read_file_text(file), "trace");
    if (!trace) continue;
    trace->content.low ^= 1;  // names a product that its object is not
    write_text(file, choir::store::format_trace(*trace));
    const auto store = open_store(path_);
    EXPECT_EQ(compile(store.get()), expected());
  }
  expect_sound();
}

TEST_F(DiskStoreTest, VerifyNamesWhatIsWrong) {
  fill();
  const std::vector<fs::path> files = files_of(path_);
  const fs::path object = files.front();
  const fs::path trace = files.back();
  ASSERT_THAT(object.string(), HasSubstr("objects"));
  ASSERT_THAT(trace.string(), HasSubstr("traces"));
  const auto faults = [&] {
    std::string list;
    const auto found = choir::verify_store(path_);
    EXPECT_TRUE(found.has_value());
    for (const choir::StoreFault& fault : *found) list += fault.what + "\n";
    return list;
  };
  const std::string whole = read_file_text(trace);
  write_text(object, "x");
  EXPECT_THAT(faults(), HasSubstr("object is not what was written"));
  fs::remove(object);
  EXPECT_THAT(faults(), HasSubstr("trace names an object that is not there"));
  write_text(object.parent_path() / "name", "x");
  EXPECT_THAT(faults(), HasSubstr("is no name of an object"));
  write_text(trace, "short");
  EXPECT_THAT(faults(), HasSubstr("trace is cut off"));
  write_text(trace, whole + "more");
  EXPECT_THAT(faults(), HasSubstr("trace is not what was written (its digest differs)"));
  const auto sealed = [](std::string body) {
    return body + digest_of(std::string_view(body)).to_string() + "\n";
  };
  write_text(trace, sealed("{\"format\": \"accy-trace/9\"}\n"));
  EXPECT_THAT(faults(), HasSubstr("trace is of another version, not accy-trace/1"));
  write_text(trace, sealed("{\"format\": \"accy-trace/1\"}\n"));
  EXPECT_THAT(faults(), HasSubstr("trace lacks a field"));
  write_text(trace.parent_path() / std::string(32, '0'), whole);
  EXPECT_THAT(faults(), HasSubstr("trace stands under another request's name"));
}

TEST_F(DiskStoreTest, GarbageGoes) {
  fill();
  const auto before = choir::store_usage(path_);
  ASSERT_TRUE(before.has_value());
  const std::vector<fs::path> files = files_of(path_);
  write_text(files.front(), "x");  // an object, whose trace then names nothing
  fs::create_directories(path_ / "temporary");
  write_text(path_ / "temporary" / "1-0", "left behind");
  fs::last_write_time(path_ / "temporary" / "1-0",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto cleanup = choir::collect_garbage(path_, std::int64_t{1} << 30);
  ASSERT_TRUE(cleanup.has_value()) << cleanup.error().to_string();
  EXPECT_EQ(cleanup->removed, 3U);
  EXPECT_EQ(cleanup->left.objects, before->objects - 1);
  EXPECT_EQ(cleanup->left.traces, before->traces - 1);
  expect_sound();
  EXPECT_EQ(compile(open_store(path_).get()), expected());
  const auto all = choir::collect_garbage(path_, 0);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->left.bytes, 0);
}

TEST_F(DiskStoreTest, StaysWithinItsLimit) {
  fill();
  const std::int64_t bytes = choir::store_usage(path_)->bytes;
  fs::remove_all(path_);
  for (int round = 0; round < 5; ++round) {
    const auto store = open_store(path_, "round " + std::to_string(round), bytes);
    EXPECT_EQ(compile(store.get()), expected());
    EXPECT_LE(choir::store_usage(path_)->bytes, bytes);
  }
  expect_sound();
  const auto store = open_store(folder_.path() / "tiny", "test", 16);
  EXPECT_EQ(compile(store.get()), expected());
  EXPECT_GT(store->counters().failures, 0U);
  EXPECT_THAT(store->last_failure().error().message,
              AllOf(HasSubstr("exceeds what the store may hold"), HasSubstr("(16 bytes)")));
}

TEST_F(DiskStoreTest, TwoProcessesWriteAtOnce) {
  for (int round = 0; round < 50; ++round) {
    const fs::path folder = folder_.path() / std::to_string(round);
    const auto work = [&] { return compile(open_store(folder).get()) == expected(); };
    const std::string& first = expected();  // before the fork, so that the children start at once
    ASSERT_FALSE(first.empty());
    const pid_t other = ::fork();
    if (other == 0) ::_exit(work() ? 0 : 1);
    EXPECT_TRUE(work());
    int status = 0;
    ::waitpid(other, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "round " << round;
    path_ = folder;
    expect_sound();
  }
}

TEST_F(DiskStoreTest, AWriterIsKilledAtAnyTime) {
  ASSERT_FALSE(expected().empty());
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    const pid_t writer = ::fork();
    if (writer == 0)
      for (int count = 0;; ++count) compile(open_store(path_, std::to_string(count)).get());
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    ::kill(writer, SIGKILL);
    int status = 0;
    ::waitpid(writer, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
    if (fs::exists(path_ / "accy-store")) expect_sound();
    ASSERT_EQ(compile(open_store(path_, "0").get()), expected());
  }
}

TEST_F(DiskStoreTest, AFullDiskLosesTheProductAndNoMore) {
  ASSERT_FALSE(expected().empty());
  EXPECT_TRUE(in_child([&] {
    const auto store = open_store(path_);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{512, 512};  // stands for a disk with that much room a file
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return compile(store.get()) == expected() && store->counters().failures > 0 &&
           store->last_failure().error().message.find("cannot be written") != std::string::npos;
  }));
  expect_sound();
  EXPECT_EQ(choir::store_usage(path_)->leftovers, 0U) << "what could not be written is removed";
  EXPECT_EQ(compile(open_store(path_).get()), expected());
}

TEST_F(DiskStoreTest, AReadOnlyFolderServesAndTakesNothing) {
  fill();
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
    fs::permissions(entry.path(), entry.is_directory() ? fs::perms(0555) : fs::perms(0444));
  fs::permissions(folder_.path(), fs::perms(0555));
  const auto as_user = [](auto function) {
    return in_child([&] {
      if (::geteuid() == 0 && ::setuid(65534) != 0) return false;  // root may write anywhere
      return function();
    });
  };
  EXPECT_TRUE(as_user([&] {
    const auto store = open_store(path_);
    return compile(store.get()) == expected() && store->counters().hits > 0;
  }));
  EXPECT_TRUE(as_user([&] {
    const auto store = open_store(path_, "another");
    return compile(store.get()) == expected() && store->counters().failures > 0;
  }));
  EXPECT_TRUE(as_user([&] { return !DiskStore::open(folder_.path() / "new", {}).has_value(); }));
  fs::permissions(folder_.path(), fs::perms::owner_all);
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
    if (entry.is_directory()) fs::permissions(entry.path(), fs::perms::owner_all);
}

TEST_F(DiskStoreTest, TravelsInAnArchive) {
  fill();
  const fs::path archive = folder_.path() / "cache.archive";
  const auto exported = choir::export_store(path_, archive);
  ASSERT_TRUE(exported.has_value()) << exported.error().to_string();
  const fs::path other = folder_.path() / "other";
  const auto imported = choir::import_store(other, archive);
  ASSERT_TRUE(imported.has_value()) << imported.error().to_string();
  EXPECT_EQ(imported->traces, exported->traces);
  EXPECT_EQ(imported->objects, choir::store_usage(path_)->objects);
  const auto store = open_store(other);
  EXPECT_EQ(compile(store.get()), expected());
  EXPECT_EQ(store->counters().misses, 0U);
}

TEST_F(DiskStoreTest, ADamagedArchiveAddsNothing) {
  fill();
  const fs::path archive = folder_.path() / "cache.archive";
  ASSERT_TRUE(choir::export_store(path_, archive));
  const std::string whole = read_file_text(archive);
  const fs::path other = folder_.path() / "other";
  const auto message = [&](std::string_view text) {
    write_text(archive, text);
    const auto imported = choir::import_store(other, archive);
    return imported ? std::string("no error") : imported.error().message;
  };
  for (std::size_t size = 0; size < whole.size(); size += 64)
    EXPECT_NE(message(std::string_view(whole).substr(0, size)), "no error") << size;
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string text = whole;
    text[random() % text.size()] ^= static_cast<char>(1U << random() % 8);
    EXPECT_NE(message(text), "no error");
  }
  const auto sealed = [](std::string body) {
    return body + digest_of(std::string_view(body)).to_string() + "\n";
  };
  const std::string header = "accy-archive 1\n";
  EXPECT_THAT(message("accy-archive 2\n"),
              HasSubstr("is no archive of a store, or one of another"));
  EXPECT_THAT(message(header), HasSubstr("archive is cut off"));
  EXPECT_THAT(message(header + std::string(64, 'x')),
              HasSubstr("archive is not what was written (its digest differs)"));
  EXPECT_THAT(message(sealed(header + "objects/ab/cd\n99\nend\n")),
              HasSubstr("archive holds an entry without a size"));
  for (const char* name : {"../x", "objects/../../x", "/etc/passwd", "temporary/x", "traces/a/b/c"})
    EXPECT_THAT(message(sealed(header + name + "\n2\nhiend\n")),
                HasSubstr("archive holds an entry that is not what its name says"));
  EXPECT_FALSE(fs::exists(other));
}

}  // namespace
}  // namespace accy::test
