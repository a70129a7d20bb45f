/* users: see <iotrace/users.h>. */
#include <grp.h>
#include <iotrace/users.h>
#include <pwd.h>
#include <stdio.h>

void users_each(void (*call)(void *context, uint32_t id, const char *name), void *context)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *user;

	while (file && (user = fgetpwent(file)))
		call(context, user->pw_uid, user->pw_name);
	if (file)
		fclose(file);
}

void user_groups_each(void (*call)(void *context, uint32_t id, const char *name), void *context)
{
	FILE *file = fopen("/etc/group", "re");
	const struct group *group;

	while (file && (group = fgetgrent(file)))
		call(context, group->gr_gid, group->gr_name);
	if (file)
		fclose(file);
}
