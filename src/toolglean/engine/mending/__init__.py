# The names by which engine/places/ still asks for repairs; they are in engine/repair/. To be deleted with the renames.
