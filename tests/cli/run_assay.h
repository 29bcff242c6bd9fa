// The program `assay`, run as a user runs it.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// The build names the program; this header compiles without it too.
#ifndef ASSAY_PROGRAM
#define ASSAY_PROGRAM "assay"
#endif

namespace assay::test {

struct Outcome {
  int exit;
  std::string text;  // stdout and stderr
};

inline Outcome run_assay(const std::string& arguments, const std::string& environment = "") {
  const std::string command = environment + " '" ASSAY_PROGRAM "' " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome{-1, ""};
  std::array<char, 4096> buffer;
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.text.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit = WEXITSTATUS(status);
  return outcome;
}

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string quoted(const std::filesystem::path& path) { return " '" + path.string() + "' "; }

}  // namespace assay::test
