// filter_eval: what the kernel does with a filter of system calls, for tests: fields id and ret, six comparisons,
// !, &&, || and parentheses; && binds first.
#ifndef TEST_FILTER_EVAL_H
#define TEST_FILTER_EVAL_H

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

class FilterEval
{
      public:
	FilterEval(const char *text, long number, long result) : at(text), id(number), ret(result)
	{
	}

	bool run()
	{
		bool value = either();

		if (*at)
			throw std::runtime_error(std::string("left over: ") + at);
		return value;
	}

      private:
	const char *at;
	long id, ret;

	bool take(const char *word)
	{
		size_t length = strlen(word);

		if (strncmp(at, word, length))
			return false;
		at += length;
		return true;
	}

	bool either()
	{
		bool value = both();

		while (take("||"))
			value = both() || value;
		return value;
	}

	bool both()
	{
		bool value = one();

		while (take("&&"))
			value = one() && value;
		return value;
	}

	bool one()
	{
		if (take("!"))
			return !one();
		if (!take("("))
			return compare();
		bool value = either();

		if (!take(")"))
			throw std::runtime_error(std::string("no ): ") + at);
		return value;
	}

	bool compare()
	{
		long field = take("id") ? id : take("ret") ? ret : throw std::runtime_error(at);
		int which = take("==") ? 0 : take(">=") ? 1 : take("<=") ? 2 : take("<") ? 3 : -1;
		char *end;
		long number = strtol(at, &end, 10);

		if (which < 0 || end == at)
			throw std::runtime_error(at);
		at = end;
		return which == 0   ? field == number
		       : which == 1 ? field >= number
		       : which == 2 ? field <= number
				    : field < number;
	}
};

inline bool filter_eval(const char *text, long id, long ret)
{
	return FilterEval(text, id, ret).run();
}

#endif
