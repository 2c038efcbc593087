#include <csignal>
#include <cstdlib>

#include "check.hpp"

// phida_core_tests [part of a test's name]
int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  std::signal(SIGABRT, [](int) {  // an assertion of the core or of the standard library
    std::printf("aborted in %s\n", check::running);
    std::_Exit(1);
  });
  return check::run(argc > 1 ? argv[1] : "");
}
