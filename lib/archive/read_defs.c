/*
 * read_defs: definitions, as they stand in the file. Fields that are str_ids hold StringRefs until read_resolve().
 */
#include "reader.h"

#include <fcntl.h>
#include <iotrace/mem.h>
#include <string.h>

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
				  uint64_t realtime)
{
	struct reader *r = data;

	r->resolution = resolution;
	r->first = offset;
	r->length = length;
	r->realtime = realtime;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text)
{
	struct reader *r = data;

	map_set(&r->of[READ_OF_STRING], self, read_text(r, text, strlen(text)));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
				      OTF2_StringRef description, OTF2_Type type)
{
	struct reader *r = data;

	(void)description;
	(void)type;
	MEM_GROW(r->attribute, r->attribute_capacity, r->attributes + 1);
	r->attribute[r->attributes].name = name;
	r->attribute[r->attributes].id = READ_ATTRIBUTES;
	map_set(&r->of[READ_OF_ATTRIBUTE], self, r->attributes++);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
				 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
	struct reader *r = data;

	(void)parent;
	MEM_GROW(r->node, r->node_capacity, r->nodes + 1);
	r->node[r->nodes] = (struct read_node){name, class, NONE};
	map_set(&r->of[READ_OF_NODE], self, r->nodes++);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
				  OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
				  OTF2_LocationGroupRef parent)
{
	struct reader *r = data;
	struct trace *trace = r->trace;
	process_id id = trace->processes;

	(void)type;
	MEM_GROW(trace->process, trace->processes_cap, id + 1);
	trace->process[id] = (struct trace_process){.kind = TRACE_PROCESS,
						    .name = name,
						    .parent = parent,
						    .status = -1};
	MEM_GROW(r->node_of_group, r->node_of_group_capacity, id + 1);
	r->node_of_group[id] = node;
	map_set(&r->of[READ_OF_GROUP], self, id);
	trace->processes++;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
				     OTF2_LocationType type, uint64_t events,
				     OTF2_LocationGroupRef group)
{
	struct reader *r = data;
	struct trace *trace = r->trace;
	thread_id id = trace->threads;

	(void)events;
	MEM_GROW(r->verify.location, r->verify.location_capacity, r->verify.locations + 1);
	r->verify.location[r->verify.locations++] = (struct verify_location){.ref = self};
	MEM_GROW(trace->thread, trace->threads_cap, id + 1);
	trace->thread[id] = (struct trace_thread){.kind = type == OTF2_LOCATION_TYPE_METRIC
								  ? LOCATION_METRIC
								  : LOCATION_THREAD,
						  .process = group,
						  .name = name};
	map_set(&r->of[READ_OF_LOCATION], self, id);
	trace->threads++;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
				   OTF2_StringRef canonical, OTF2_StringRef description,
				   OTF2_RegionRole role, OTF2_Paradigm paradigm,
				   OTF2_RegionFlag flags, OTF2_StringRef source,
				   uint32_t first_line, uint32_t last_line)
{
	struct reader *r = data;
	struct trace *trace = r->trace;

	(void)canonical;
	(void)description;
	(void)paradigm;
	(void)flags;
	(void)source;
	(void)first_line;
	(void)last_line;
	MEM_GROW(trace->region, trace->regions_cap, trace->regions + 1);
	trace->region[trace->regions] =
		(struct trace_region){.name = name,
				      .source = REGION_OTHER,
				      .kind = CALL_META,
				      .group = role == OTF2_REGION_ROLE_FILE_IO ? GROUP_DATA
					       : role == OTF2_REGION_ROLE_FILE_IO_METADATA
						       ? GROUP_META
						       : GROUP_TASK};
	map_set(&r->of[READ_OF_REGION], self, trace->regions++);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_paradigm(void *data, OTF2_IoParadigmRef self,
				     OTF2_StringRef identification, OTF2_StringRef name,
				     OTF2_IoParadigmClass class, OTF2_IoParadigmFlag flags,
				     uint8_t count, const OTF2_IoParadigmProperty *properties,
				     const OTF2_Type *types, const OTF2_AttributeValue *values)
{
	struct reader *r = data;

	(void)name;
	(void)class;
	(void)flags;
	(void)count;
	(void)properties;
	(void)types;
	(void)values;
	map_set(&r->of[READ_OF_PARADIGM], self, identification);
	return OTF2_CALLBACK_SUCCESS;
}

static void add_file(struct reader *r, OTF2_IoFileRef self, OTF2_StringRef name,
		     enum trace_file_kind kind)
{
	struct trace *trace = r->trace;

	COLD_GROW(&trace->file_area, trace->file, trace->files_cap, trace->files + 1);
	trace->file[trace->files] =
		(struct trace_file){.path = name, .kind = kind, .mount = ID_NONE};
	map_set(&r->of[READ_OF_FILE], self, trace->files++);
}

static OTF2_CallbackCode on_file(void *data, OTF2_IoFileRef self, OTF2_StringRef name,
				 OTF2_SystemTreeNodeRef scope)
{
	(void)scope;
	add_file(data, self, name, FILE_REGULAR);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_directory(void *data, OTF2_IoFileRef self, OTF2_StringRef name,
				      OTF2_SystemTreeNodeRef scope)
{
	(void)scope;
	add_file(data, self, name, FILE_DIRECTORY);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle(void *data, OTF2_IoHandleRef self, OTF2_StringRef name,
				   OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
				   OTF2_IoHandleFlag flags, OTF2_CommRef comm,
				   OTF2_IoHandleRef parent)
{
	struct reader *r = data;
	struct trace *trace = r->trace;
	handle_id id = trace->handles;

	(void)comm;
	(void)parent;
	COLD_GROW(&trace->handle_area, trace->handle, trace->handles_cap, id + 1);
	trace->handle[id] = (struct trace_handle){
		.process = ID_NONE,
		.file = file,
		.name = name,
		.is_pre_created = flags & OTF2_IO_HANDLE_FLAG_PRE_CREATED,
		.is_all_proxy = flags & OTF2_IO_HANDLE_FLAG_ALL_PROXY,
	};
	MEM_GROW(r->paradigm_of_handle, r->paradigm_of_handle_capacity, id + 1);
	r->paradigm_of_handle[id] = paradigm;
	map_set(&r->of[READ_OF_HANDLE], self, id);
	trace->handles++;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle_state(void *data, OTF2_IoHandleRef ref, OTF2_IoAccessMode mode,
					 OTF2_IoStatusFlag flags)
{
	struct reader *r = data;
	uint32_t id = read_id(r, READ_OF_HANDLE, ref);

	if (id != MAP_NONE)
		r->trace->handle[id].pre_flags = read_open_flags(mode, 0, flags);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
				   OTF2_StringRef description, OTF2_MetricType type,
				   OTF2_MetricMode mode, OTF2_Type value, OTF2_Base base,
				   int64_t exponent, OTF2_StringRef unit)
{
	struct reader *r = data;

	(void)type;
	(void)base;
	(void)exponent;
	MEM_GROW(r->member, r->member_capacity, r->members + 1);
	r->member[r->members] = (struct read_member){name,
						     unit,
						     description,
						     mode == OTF2_METRIC_ACCUMULATED_START,
						     value == OTF2_TYPE_INT64,
						     value == OTF2_TYPE_DOUBLE};
	map_set(&r->of[READ_OF_MEMBER], self, r->members++);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_class(void *data, OTF2_MetricRef self, uint8_t count,
				  const OTF2_MetricMemberRef *members,
				  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
	struct reader *r = data;
	struct trace *trace = r->trace;
	struct trace_series series = {.metric = trace->metrics,
				      .is_of_calls = occurrence == OTF2_METRIC_SYNCHRONOUS_STRICT};

	(void)recorder;
	series.is_of_calls |= occurrence == OTF2_METRIC_SYNCHRONOUS;
	for (uint8_t i = 0; i < count && i < EVENT_COUNTERS; i++) {
		uint32_t member = read_id(r, READ_OF_MEMBER, members[i]);
		const struct read_member none = {NONE, NONE, NONE, false, false, false};
		const struct read_member *m = member == MAP_NONE ? &none : &r->member[member];

		MEM_GROW(trace->metric, trace->metrics_cap, trace->metrics + 1);
		trace->metric[trace->metrics++] =
			(struct trace_metric){m->name,           m->unit,      m->description,
					      m->is_accumulated, m->is_signed, m->is_real};
		series.metrics++;
	}
	MEM_GROW(trace->series, trace->series_cap, trace->series_count + 1);
	trace->series[trace->series_count] = series;
	map_set(&r->of[READ_OF_SERIES], self, trace->series_count++);
	return OTF2_CALLBACK_SUCCESS;
}

/* The values of an instance are those of its class, on the location that records them. */
static OTF2_CallbackCode on_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef class,
				     OTF2_LocationRef recorder, OTF2_MetricScope kind,
				     uint64_t scope)
{
	struct reader *r = data;
	uint32_t series = read_id(r, READ_OF_SERIES, class);

	(void)recorder;
	(void)kind;
	(void)scope;
	if (series != MAP_NONE)
		map_set(&r->of[READ_OF_SERIES], self, series);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name,
				      OTF2_ParameterType type)
{
	struct reader *r = data;
	struct trace *trace = r->trace;

	(void)type;
	MEM_GROW(trace->parameter, trace->parameters_cap, trace->parameters + 1);
	trace->parameter[trace->parameters] = name;
	map_set(&r->of[READ_OF_PARAMETER], self, trace->parameters++);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode property(struct reader *r, enum read_kind kind, uint64_t of,
				  OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value)
{
	MEM_GROW(r->property, r->property_capacity, r->properties + 1);
	r->property[r->properties++] = (struct read_property){kind, of, name, type, value};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node_property(void *data, OTF2_SystemTreeNodeRef of,
					  OTF2_StringRef name, OTF2_Type type,
					  OTF2_AttributeValue value)
{
	return property(data, READ_OF_NODE, of, name, type, value);
}

static OTF2_CallbackCode on_group_property(void *data, OTF2_LocationGroupRef of,
					   OTF2_StringRef name, OTF2_Type type,
					   OTF2_AttributeValue value)
{
	return property(data, READ_OF_GROUP, of, name, type, value);
}

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef of, OTF2_StringRef name,
					      OTF2_Type type, OTF2_AttributeValue value)
{
	return property(data, READ_OF_LOCATION, of, name, type, value);
}

static OTF2_CallbackCode on_file_property(void *data, OTF2_IoFileRef of, OTF2_StringRef name,
					  OTF2_Type type, OTF2_AttributeValue value)
{
	return property(data, READ_OF_FILE, of, name, type, value);
}

bool read_definitions(struct reader *r)
{
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(r->verify.reader);
	OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
	uint64_t read;
	bool good;

	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
	OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_group);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
	OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(c, on_paradigm);
	OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(c, on_file);
	OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(c, on_directory);
	OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(c, on_handle);
	OTF2_GlobalDefReaderCallbacks_SetIoPreCreatedHandleStateCallback(c, on_handle_state);
	OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_member);
	OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_class);
	OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(c, on_instance);
	OTF2_GlobalDefReaderCallbacks_SetParameterCallback(c, on_parameter);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(c, on_node_property);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(c, on_group_property);
	OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(c, on_location_property);
	OTF2_GlobalDefReaderCallbacks_SetIoFilePropertyCallback(c, on_file_property);
	good = definitions &&
	       OTF2_Reader_RegisterGlobalDefCallbacks(r->verify.reader, definitions, c, r) ==
		       OTF2_SUCCESS &&
	       OTF2_Reader_ReadAllGlobalDefinitions(r->verify.reader, definitions, &read) ==
		       OTF2_SUCCESS &&
	       !r->verify.is_bad;
	OTF2_GlobalDefReaderCallbacks_Delete(c);
	if (definitions)
		OTF2_Reader_CloseGlobalDefReader(r->verify.reader, definitions);
	return good;
}
