/*
 * urgent: threads that must not wait for the programs that they record.
 *
 * A ring is emptied in time or it overflows. Among hundreds of busy threads an ordinary one gets a hundredth of a
 * CPU, just when there is most to do.
 */
#ifndef IOTRACE_KERNEL_URGENT_H
#define IOTRACE_KERNEL_URGENT_H

/*
 * The calling thread runs before all ordinary ones. Without the right to a real-time priority a short slice makes an
 * early deadline (since Linux 6.12; older kernels ignore it and favour a thread that slept).
 */
void urgent_begin(void);

#endif
