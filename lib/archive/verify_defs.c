/*
 * verify_defs: no definition twice, and no reference to what is not defined.
 *
 * What events need of a definition is kept under its index: arrays grow with what was read and never with what a reference says.
 */
#include "verify.h"

#include <inttypes.h>
#include <iotrace/mem.h>
#include <string.h>

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
				  uint64_t realtime)
{
	struct verify *v = data;

	(void)realtime;
	if (resolution == 0)
		verify_found(v, "the clock has no resolution");
	if (v->has_clock)
		verify_found(v, "the clock properties are defined twice");
	v->has_clock = true;
	v->clock_first = offset;
	v->clock_last = length > UINT64_MAX - offset ? UINT64_MAX : offset + length;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *string)
{
	struct verify *v = data;

	verify_define(v, KIND_STRING, self);
	if (strcmp(string, "Sharing processes") == 0)
		v->sharing_name = self;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
				      OTF2_StringRef description, OTF2_Type type)
{
	struct verify *v = data;
	uint32_t index;

	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_STRING, description);
	index = verify_define(v, KIND_ATTRIBUTE, self);
	if (index != NONE) {
		MEM_GROW(v->attribute_type, v->attribute_capacity, index + 1);
		v->attribute_type[index] = type;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
				 OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
	struct verify *v = data;

	verify_define(v, KIND_NODE, self);
	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_STRING, class_name);
	verify_refer(v, KIND_NODE, parent);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
				  OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
				  OTF2_LocationGroupRef parent)
{
	struct verify *v = data;
	uint32_t index;

	(void)type;
	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_NODE, node);
	verify_refer(v, KIND_GROUP, parent);
	if (parent == self)
		verify_found(v, "LocationGroup %u created itself", self);
	index = verify_define(v, KIND_GROUP, self);
	if (index != NONE) {
		MEM_GROW(v->group, v->group_capacity, index + 1);
		v->group[index].ref = self;
		v->group[index].parent = parent;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
				     OTF2_LocationType type, uint64_t events,
				     OTF2_LocationGroupRef group)
{
	struct verify *v = data;

	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_GROUP, group);
	if (verify_define(v, KIND_LOCATION, self) == NONE)
		return OTF2_CALLBACK_SUCCESS;
	MEM_GROW(v->location, v->location_capacity, v->locations + 1);
	v->location[v->locations++] = (struct verify_location){.ref = self,
							       .defined_events = events,
							       .group = group,
							       .type = type};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
				   OTF2_StringRef canonical, OTF2_StringRef description,
				   OTF2_RegionRole role, OTF2_Paradigm paradigm,
				   OTF2_RegionFlag flags, OTF2_StringRef source,
				   uint32_t first_line, uint32_t last_line)
{
	struct verify *v = data;

	(void)role;
	(void)paradigm;
	(void)flags;
	(void)first_line;
	(void)last_line;
	verify_define(v, KIND_REGION, self);
	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_STRING, canonical);
	verify_refer(v, KIND_STRING, description);
	verify_refer(v, KIND_STRING, source);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_members(void *data, OTF2_GroupRef self, OTF2_StringRef name,
				    OTF2_GroupType type, OTF2_Paradigm paradigm,
				    OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
	struct verify *v = data;

	(void)paradigm;
	(void)flags;
	verify_define(v, KIND_MEMBERS, self);
	verify_refer(v, KIND_STRING, name);
	for (uint32_t i = 0; i < count; i++)
		if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
			verify_refer(v, KIND_LOCATION, members[i]);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
				 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct verify *v = data;

	(void)flags;
	verify_define(v, KIND_COMM, self);
	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_MEMBERS, group);
	verify_refer(v, KIND_COMM, parent);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_inter_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
				       OTF2_GroupRef group_a, OTF2_GroupRef group_b,
				       OTF2_CommRef common, OTF2_CommFlag flags)
{
	struct verify *v = data;

	(void)flags;
	verify_define(v, KIND_COMM, self);
	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_MEMBERS, group_a);
	verify_refer(v, KIND_MEMBERS, group_b);
	verify_refer(v, KIND_COMM, common);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_paradigm(void *data, OTF2_IoParadigmRef self,
				     OTF2_StringRef identification, OTF2_StringRef name,
				     OTF2_IoParadigmClass class, OTF2_IoParadigmFlag flags,
				     uint8_t count, const OTF2_IoParadigmProperty *properties,
				     const OTF2_Type *types, const OTF2_AttributeValue *values)
{
	struct verify *v = data;

	(void)class;
	(void)flags;
	(void)count;
	(void)properties;
	(void)types;
	(void)values;
	verify_define(v, KIND_PARADIGM, self);
	verify_refer(v, KIND_STRING, identification);
	verify_refer(v, KIND_STRING, name);
	return OTF2_CALLBACK_SUCCESS;
}

/* Regular files and directories share their ids. */
static OTF2_CallbackCode on_file(void *data, OTF2_IoFileRef self, OTF2_StringRef name,
				 OTF2_SystemTreeNodeRef scope)
{
	struct verify *v = data;

	verify_define(v, KIND_FILE, self);
	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_NODE, scope);
	return OTF2_CALLBACK_SUCCESS;
}

/* A property of what the kind and id name. */
static OTF2_CallbackCode property(struct verify *v, enum kind kind, uint64_t of,
				  OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value)
{
	verify_refer(v, kind, of);
	verify_refer(v, KIND_STRING, name);
	if (type == OTF2_TYPE_STRING)
		verify_refer(v, KIND_STRING, value.stringRef);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file_property(void *data, OTF2_IoFileRef file, OTF2_StringRef name,
					  OTF2_Type type, OTF2_AttributeValue value)
{
	return property(data, KIND_FILE, file, name, type, value);
}

static OTF2_CallbackCode on_node_property(void *data, OTF2_SystemTreeNodeRef node,
					  OTF2_StringRef name, OTF2_Type type,
					  OTF2_AttributeValue value)
{
	return property(data, KIND_NODE, node, name, type, value);
}

static OTF2_CallbackCode on_group_property(void *data, OTF2_LocationGroupRef group,
					   OTF2_StringRef name, OTF2_Type type,
					   OTF2_AttributeValue value)
{
	struct verify *v = data;
	struct verify_group *process = verify_group(v, group);

	if (process && name == v->sharing_name && name && v->is_of_iotrace)
		process->is_shared = true;
	return property(data, KIND_GROUP, group, name, type, value);
}

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef location,
					      OTF2_StringRef name, OTF2_Type type,
					      OTF2_AttributeValue value)
{
	return property(data, KIND_LOCATION, location, name, type, value);
}

static OTF2_CallbackCode on_handle(void *data, OTF2_IoHandleRef self, OTF2_StringRef name,
				   OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
				   OTF2_IoHandleFlag flags, OTF2_CommRef comm,
				   OTF2_IoHandleRef parent)
{
	struct verify *v = data;
	uint32_t index;

	verify_refer(v, KIND_STRING, name);
	verify_refer(v, KIND_FILE, file);
	verify_refer(v, KIND_PARADIGM, paradigm);
	verify_refer(v, KIND_COMM, comm);
	verify_refer(v, KIND_HANDLE, parent);
	index = verify_define(v, KIND_HANDLE, self);
	if (index != NONE) {
		MEM_GROW(v->handle_flags, v->handle_capacity, index + 1);
		v->handle_flags[index] = flags;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle_state(void *data, OTF2_IoHandleRef handle,
					 OTF2_IoAccessMode mode, OTF2_IoStatusFlag flags)
{
	struct verify *v = data;

	(void)mode;
	(void)flags;
	verify_refer(v, KIND_HANDLE, handle);
	MEM_GROW(v->handle_state, v->handle_state_capacity, v->handle_states + 1);
	v->handle_state[v->handle_states++] = handle;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_GlobalDefReaderCallbacks *callbacks_new(void)
{
	OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();

	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
	OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_group);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
	verify_register_metric_definitions(c);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_members);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
	OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_inter_comm);
	OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(c, on_paradigm);
	OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(c, on_file);
	OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(c, on_file);
	OTF2_GlobalDefReaderCallbacks_SetIoFilePropertyCallback(c, on_file_property);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(c, on_node_property);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(c, on_group_property);
	OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(c, on_location_property);
	OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(c, on_handle);
	OTF2_GlobalDefReaderCallbacks_SetIoPreCreatedHandleStateCallback(c, on_handle_state);
	return c;
}

static void check_missing(struct verify *v, enum kind kind)
{
	const struct map *missing = &v->defined[kind].missing;
	uint64_t first = UINT64_MAX;

	if (!missing->count)
		return;
	for (uint32_t i = 0; i < missing->capacity; i++)
		if (missing->entry[i].state == MAP_USED && missing->entry[i].key < first)
			first = missing->entry[i].key;
	if (missing->count == 1)
		verify_found(v, "a definition names %s %" PRIu64 ", which is not defined",
			     verify_kind_name[kind], first);
	else
		verify_found(v,
			     "definitions name %s %" PRIu64
			     ", which is not defined, and %u other such",
			     verify_kind_name[kind], first, missing->count - 1);
}

static void check_references(struct verify *v)
{
	for (enum kind k = 0; k < KINDS; k++)
		check_missing(v, k);
	for (uint32_t i = 0; i < v->handle_states; i++) {
		uint32_t index = verify_index(v, KIND_HANDLE, v->handle_state[i]);

		if (index != NONE && !(v->handle_flags[index] & OTF2_IO_HANDLE_FLAG_PRE_CREATED))
			verify_found(v,
				     "IoHandle %u has a state before its creation, but is created",
				     v->handle_state[i]);
	}
	if (!v->has_clock)
		verify_found(v, "there are no clock properties");
}

bool verify_definitions(struct verify *v)
{
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(v->reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = callbacks_new();
	struct archive_report *report = v->report;
	bool good = definitions &&
		    OTF2_Reader_RegisterGlobalDefCallbacks(v->reader, definitions, callbacks, v) ==
			    OTF2_SUCCESS &&
		    OTF2_Reader_ReadAllGlobalDefinitions(v->reader, definitions,
							 &report->definitions) == OTF2_SUCCESS &&
		    !v->is_bad;

	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	if (definitions)
		OTF2_Reader_CloseGlobalDefReader(v->reader, definitions);
	if (!good)
		return false;
	check_references(v);
	uint64_t declared = report->definitions;

	if (OTF2_Reader_GetNumberOfGlobalDefinitions(v->reader, &declared) == OTF2_SUCCESS &&
	    declared != report->definitions)
		verify_found(v, "the anchor says %" PRIu64 " definitions, there are %" PRIu64,
			     declared, report->definitions);
	report->locations = v->defined[KIND_LOCATION].count;
	report->processes = v->defined[KIND_GROUP].count;
	report->regions = v->defined[KIND_REGION].count;
	report->files = v->defined[KIND_FILE].count;
	report->handles = v->defined[KIND_HANDLE].count;
	report->first_time = v->clock_first;
	report->last_time = v->clock_last;
	return true;
}
