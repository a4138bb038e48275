"""Program configurations: into what blocks of tiles a kernel cuts its work, a class for each kind of kernel."""
