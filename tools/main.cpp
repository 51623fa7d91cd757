// The accy program: reads the command line and calls one command.
#include <CLI/CLI.hpp>
#include <iostream>
#include <new>

#include "targets/registry.hpp"
#include "tools/cache.hpp"
#include "tools/compile.hpp"
#include "tools/devices.hpp"
#include "tools/exit_code.hpp"
#include "tools/explain.hpp"
#include "tools/reproduce.hpp"
#include "tools/run.hpp"

namespace accy::tools {
namespace {

CLI::App* add_devices(CLI::App& app, DevicesOptions& options) {
  CLI::App* command = app.add_subcommand("devices", "List the devices that programs can run on");
  command->add_flag("--json", options.json, "One JSON document with the devices' target profiles");
  return command;
}

CLI::App* add_compile(CLI::App& app, CompileOptions& options) {
  CLI::App* command = app.add_subcommand("compile", "Compile a program for one or more targets");
  command->add_option("file", options.file, "The program, a .choir text")->required();
  command
      ->add_option("--target", options.targets,
                   "A built-in profile, as cuda:sm_90a, or a profile file, as device.json")
      ->required()
      ->allow_extra_args(false);
  CLI::Option* output =
      command->add_option("-o,--output", options.output,
                          "Folder to write into, made when absent, or an artifact, as net.accy");
  command->add_option("--emit", options.emit, "What to write there: stages, code")
      ->delimiter(',')
      ->check(CLI::IsMember({"stages", "code"}))
      ->needs(output);
  command->add_option("--dim", options.dimensions, "Size of a named dimension, as n=16")
      ->allow_extra_args(false);
  CLI::Option* cache = command->add_option(
      "--cache", options.cache, "Folder of the products of earlier compiles, made when absent");
  command->add_option("--cache-limit", options.cache_bytes_maximum, "Bytes that it may hold")
      ->check(CLI::PositiveNumber)
      ->needs(cache);
  command->add_option("--workers", options.workers,
                      "Threads for what is done kernel by kernel; 0, the default: one a core");
  command->add_option("--reproducer-dir", options.reproducers,
                      "Folder to leave a reproducer in when a pass fails or crashes");
  command->add_flag("--validate", options.validate, "Run the target's validator over all code");
  command->add_flag("--timing", options.timing, "Report the time of each pass");
  command->add_flag("--json", options.json, "One JSON document; an array for several targets");
  return command;
}

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = app.add_subcommand("run", "Compile a program for a device and run it there");
  command->add_option("file", options.file, "The program, a .choir text")->required();
  command->add_option("--device", options.device, "A device that `accy devices` lists")->required();
  command->add_option("--input", options.inputs, "An input, as x=x.npy or x=random:SEED")
      ->allow_extra_args(false);
  command->add_option("--output", options.output, "Folder to write each output to, as NAME.npy");
  command
      ->add_option("--dim", options.dimensions,
                   "Size of a named dimension, as n=16, where no NPY input tells it")
      ->allow_extra_args(false);
  command->add_flag("--check", options.check, "Compare with a reference on the host");
  command->add_flag("--json", options.json, "One JSON document");
  return command;
}

CLI::App* add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command = app.add_subcommand("explain", "Tell what became of each operation, and why");
  command->add_option("file", options.file, "The program, a .choir text");
  command
      ->add_option("--target", options.targets,
                   "A built-in profile or a profile file; two are compared")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--diff", options.difference, "Two programs to compare instead")->expected(2);
  command->add_option("--op", options.operation, "Only this one: %y, tensor.softmax or a line");
  command->add_option("--html", options.html, "Page to write with everything about the compile");
  command->add_option("--dim", options.dimensions, "Size of a named dimension, as n=16")
      ->allow_extra_args(false);
  command->add_flag("--json", options.json, "One JSON document");
  return command;
}

CLI::App* add_reproduce(CLI::App& app, ReproduceOptions& options) {
  CLI::App* command = app.add_subcommand(
      "reproduce", "Run what `accy compile --reproducer-dir` left; exit code 1 when it differs");
  command->add_option("file", options.file, "The reproducer")->required();
  command->add_flag("--json", options.json, "One JSON document");
  return command;
}

CLI::App* add_cache(CLI::App& app, CacheOptions& options) {
  CLI::App* command =
      app.add_subcommand("cache", "Look after a folder that `accy compile --cache` fills");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* description, CacheAction action) {
    CLI::App* added = command->add_subcommand(name, description);
    added->add_option("folder", options.folder, "The cache's folder")->required();
    added->add_flag("--json", options.json, "One JSON document");
    added->callback([&options, action] { options.action = action; });
    return added;
  };
  add("stat", "Count its files", CacheAction::stat);
  add("verify", "Read every file and list the damaged; exit code 1 when there are any",
      CacheAction::verify);
  add("gc", "Remove what is damaged or unused", CacheAction::collect_garbage)
      ->add_option("--limit", options.bytes_maximum, "Bytes to leave, the latest used first")
      ->check(CLI::NonNegativeNumber);
  add("export", "Write its products into one file", CacheAction::export_to)
      ->add_option("file", options.file, "The file to write")
      ->required();
  add("import", "Add the products of such a file", CacheAction::import_from)
      ->add_option("file", options.file, "The file to read")
      ->required();
  return command;
}

ExitCode report(const Error& error) {
  std::cerr << "accy: " << error.to_string() << '\n';
  return exit_code(error.code);
}

ExitCode run(int argument_count, const char* const* arguments) {
  CLI::App app("Compiles tensor programs for GPUs and runs them", "accy");
  app.set_version_flag("--version", "accy " ACCY_VERSION);
  app.require_subcommand(1);
  DevicesOptions devices;
  CompileOptions compile;
  RunOptions program;
  CacheOptions cache;
  ReproduceOptions reproducer;
  ExplainOptions explain;
  const CLI::App* devices_command = add_devices(app, devices);
  const CLI::App* compile_command = add_compile(app, compile);
  const CLI::App* cache_command = add_cache(app, cache);
  const CLI::App* explain_command = add_explain(app, explain);
  const CLI::App* reproduce_command = add_reproduce(app, reproducer);
  add_run(app, program);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    // exit() prints the help or the problem; help and version are no errors.
    return app.exit(error) == 0 ? ExitCode::done : ExitCode::bad_input;
  }
  if (devices_command->parsed()) return run_devices(devices, targets::enumerate(), std::cout);
  if (compile_command->parsed()) {
    const Status status = run_compile(compile, std::cout);
    return status ? ExitCode::done : report(status.error());
  }
  if (explain_command->parsed()) {
    const Status status = run_explain(explain, std::cout);
    return status ? ExitCode::done : report(status.error());
  }
  const Result<ExitCode> code = cache_command->parsed() ? run_cache(cache, std::cout)
                                : reproduce_command->parsed()
                                    ? run_reproduce(reproducer, std::cout)
                                    : run_program(program, std::cout, std::cerr);
  return code ? *code : report(code.error());
}

}  // namespace
}  // namespace accy::tools

int main(int argument_count, char** arguments) {
  try {
    return static_cast<int>(accy::tools::run(argument_count, arguments));
  } catch (const std::bad_alloc&) {
    std::cerr << "accy: host memory ran out\n";
    return static_cast<int>(accy::tools::ExitCode::device_error);
  }
}
