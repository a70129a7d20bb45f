/* test_source: files of the checkout that tests read. */
#ifndef TEST_SOURCE_H
#define TEST_SOURCE_H

#include <string>

/* Returns where the file is that has this path in the folder of the tests. */
std::string test_source(const std::string &path);

#endif
