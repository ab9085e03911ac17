"""One tool at a time: so far only the scan, which says where a guard is needed most."""
