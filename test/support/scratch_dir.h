/* scratch_dir: a private directory for a test, which is removed afterwards with its contents. */
#ifndef SCRATCH_DIR_H
#define SCRATCH_DIR_H

#include <cstdlib>
#include <filesystem>
#include <string>

class ScratchDir
{
      public:
	/* base: NULL: the directory for temporary files */
	explicit ScratchDir(const char *base = nullptr)
	{
		if (!base)
			base = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
		root = std::string(base) + "/iotrace-test-XXXXXX";
		if (!mkdtemp(root.data()))
			abort();
	}
	~ScratchDir()
	{
		std::error_code ignored;

		std::filesystem::remove_all(root, ignored);
	}
	ScratchDir(const ScratchDir &) = delete;
	ScratchDir &operator=(const ScratchDir &) = delete;

	std::string path(const std::string &name) const
	{
		return root + "/" + name;
	}

      private:
	std::string root;
};

#endif
